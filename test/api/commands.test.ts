import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { tryReadJsonFile } from '../../packages/dev/env/state-dir.ts'
import { createCommandLine } from '../support/command-line.ts'
import { runConcurrentTests } from './support/concurrent-tests.ts'
import { createPayoutActions, type PayoutActions } from './support/payout-actions.ts'
import { pollUntil } from './support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** Commands that need workflows and providers, run in a shell beside a running stack. */

let testStack: TestStack
let payouts: PayoutActions
let folder: string
const merchants: Merchant[] = []
beforeAll(async () => {
  testStack = await openSharedTestStack()
  payouts = createPayoutActions(testStack)
  folder = await mkdtemp(join(tmpdir(), 'trilho-commands-'))
})
afterAll(async () => {
  await testStack.waitUntilLedgerAgrees({ connections: merchants.flatMap(({ connections }) => connections) })
  await testStack.close()
  await rm(folder, { recursive: true })
})

/** The exit code and output of `npm run trilho -- …`. */
const trilho = (...words: string[]) => createCommandLine({ TRILHO_HOME: testStack.home.folder })(...words)

async function createMerchant(options: { sendsNotifications?: boolean } = {}): Promise<Merchant> {
  const merchant = await testStack.createMerchant({ providers: [{ balance: 100, ...options }] })
  merchants.push(merchant)
  return merchant
}

/** The attempt of a transfer as `trilho unknown` lists it, as arguments of `trilho settle`. */
async function attemptOptionsOf(uuid: string): Promise<string[]> {
  const { attempt, sending } = (await trilho('unknown')).lines.find(line => line.uuid === uuid)
  return ['--attempt', attempt, '--sending', String(sending)]
}

/** A transfer whose provider has lost it and answers no poll of it. */
async function createUnknownTransfer(): Promise<{ merchant: Merchant; uuid: string }> {
  const merchant = await createMerchant({ sendsNotifications: false })
  await payouts.injectFault(merchant.connection, 'sendTransfer', 'timeout_then_absent')
  await payouts.injectFault(merchant.connection, 'findTransfer', 'http_500', { times: 1_000 })
  const { uuid } = (await payouts.send(merchant)).body.data
  await pollUntil(
    () => payouts.transfer(merchant, uuid),
    ({ status, outcome }) => status === 'PROCESSING' && outcome === 'unknown',
  )
  return { merchant, uuid }
}
const BY = ['--by', 'ana', '--reason', 'told by telephone']

const ACCOUNT_AT_PROVIDER_D = {
  account_number: '48213705',
  account_agency: '0001',
  bank: { name: 'Banco Quarto S.A.', ispb: '09089356' },
}

/** An account of PROVIDER_D at the simulator, and the arguments of `connection add` for an account of ours there. */
async function atProviderD(balance = 0) {
  const simulated = await tryReadJsonFile<{ providers: Record<string, { base_url: string }> }>(
    `${testStack.home.simulator}/simulator.json`,
  )
  const name = `suite-${randomUUID()}`
  const collectionKey = randomUUID()
  const file = join(folder, `${name}.json`)
  const credentials = { client_id: name, client_secret: randomUUID(), notification_secret: randomUUID() }
  const keep = async (changed: typeof credentials, at = { name, key: collectionKey }) => {
    await testStack.simulator.putAccount(at.name, {
      ...changed,
      provider: 'PROVIDER_D',
      dialect: 'efi',
      city: 'SAO PAULO',
      ispb: '09089356',
      holder: { name: 'Loja de Teste Ltda', document: '11222333000181' },
      keys: [at.key],
      balance,
    })
    await writeFile(file, JSON.stringify(changed))
  }
  await keep(credentials)
  const accountFile = join(folder, `${name}-account.json`)
  await writeFile(accountFile, JSON.stringify(ACCOUNT_AT_PROVIDER_D))
  const { lines } = await trilho('account', 'open', 'Loja de Teste Ltda', '11222333000181')
  const accountUuid: string = lines[0].account_uuid
  const add = [
    'connection',
    'add',
    accountUuid,
    '--provider',
    'PROVIDER_D',
    '--dialect',
    'efi',
    '--simulated',
  ]
  const there = ['--provider-account', name, '--credentials', file, '--collection-key', collectionKey]
  const at = ['--base-url', simulated!.providers.PROVIDER_D!.base_url, '--virtual-account', accountFile]
  return { name, file, credentials, keep, accountUuid, add: [...add, ...there, ...at] }
}

async function anOperator(): Promise<string> {
  const email = `${randomUUID()}@trilho.test`
  expect(await trilho('user', 'add', email, '--role', 'operator')).toMatchObject({ code: 0 })
  return email
}
runConcurrentTests({
  'the operator settles an unknown transfer manually with a name and a reason; a second command finds it settled':
    async () => {
      const { merchant, uuid } = await createUnknownTransfer()
      const seen = await attemptOptionsOf(uuid)
      const settled = await trilho('settle', 'transfer', uuid, ...seen, '--as', 'rejected', ...BY)
      expect(settled).toMatchObject({ code: 0, lines: [{ signalled: `transfer/${uuid}` }] })
      const failed = await payouts.waitForStatus(merchant, uuid, 'FAILED')
      expect(failed.error).toMatchObject({ code: 'settled_by_operator' })
      expect(await testStack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
        available: 10_000,
        outside: -10_000,
      })
      const acts = await trilho('acts', '--subject', `transfer/${uuid}`)
      expect(acts.lines).toMatchObject([
        { action: 'settle_rejected', actor: 'ana', reason: 'told by telephone' },
      ])

      const late = await trilho('settle', 'transfer', uuid, ...seen, '--as', 'rejected', ...BY)
      expect(late).toMatchObject({
        code: 1,
        lines: [{ error: expect.stringMatching(/has changed since .* attempt 1 .*, rejected/) }],
      })
      expect((await trilho('acts', '--subject', `transfer/${uuid}`)).lines).toHaveLength(1)
    },

  'the operator confirms that a charge past its expiry was not paid; what was not seen as received is refused':
    async () => {
      const merchant = await createMerchant()
      const { uuid, payment } = await merchant.api.createCharge()
      await testStack.simulator.pay({ payload: payment.payload, value: 3 })
      await pollUntil(
        () => testStack.sql('select 1 from movement where charge_uuid = ?', [uuid]),
        rows => rows.length > 0,
      )
      await testStack.sql(`update charge set expires_at = now() - interval '2 days' where uuid = ?`, [uuid])
      const listed = async () =>
        (await trilho('charges', 'past-expiry')).lines.find(({ charge }) => charge === uuid)
      expect(await listed()).toMatchObject({ received: '3.00', is_confirmed: false })
      const expire = (received: string) => trilho('charges', 'expire', uuid, '--received', received, ...BY)
      expect(await expire('0.00')).toMatchObject({
        code: 1,
        lines: [{ error: expect.stringContaining('R$ 3.00 was received') }],
      })
      // It can still be paid at its provider, until it is deleted in the panel.
      expect(await expire('3.00')).toMatchObject({
        code: 1,
        lines: [{ error: expect.stringContaining('the provider answers still_open') }],
      })
      expect(await listed()).toMatchObject({ is_confirmed: false })
      const absent = { status: 400, body: { nome: 'cobranca_nao_encontrada', mensagem: 'deleted' } }
      await payouts.injectFault(merchant.connection, 'findCharge', 'unlisted_refusal', {
        ...absent,
        times: 1_000,
      })
      expect(await expire('3.00')).toMatchObject({ code: 0, lines: [{ signalled: `charge/${uuid}` }] })
      expect(await listed()).toMatchObject({ is_confirmed: true })
      expect((await trilho('acts', '--subject', `charge/${uuid}`)).lines).toMatchObject([
        { action: 'confirm_charge_expiry', actor: 'ana', reason: 'told by telephone' },
      ])
    },

  'a manual settlement of an earlier provider’s attempt is refused by the command and by the signal':
    async () => {
      const merchant = await testStack.createMerchant({
        providers: [
          { balance: 100, sendsNotifications: false },
          { balance: 100, sendsNotifications: false },
        ],
      })
      merchants.push(merchant)
      const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
      await payouts.injectFault(first, 'sendTransfer', 'timeout_then_absent')
      await payouts.injectFault(first, 'sendTransfer', 'refused') // Its absence is proved, and the repeat refused.
      await payouts.injectFault(second, 'sendTransfer', 'timeout_then_absent')
      await payouts.injectFault(second, 'findTransfer', 'http_500', { times: 1_000 })
      const { uuid } = (await payouts.send(merchant)).body.data
      const attempts = () =>
        testStack.sql<{ uuid: string; state: string; sendings: number; code: string }>(
          'select uuid, state, sendings, code from attempt where subject_uuid = ? order by position',
          [uuid],
        )
      const [seen, next] = await pollUntil(attempts, ([, later]) => later?.state === 'unknown')
      const held = () => testStack.readBalances(merchant.uuid, second.providerAccountUuid)
      const hold = await held()
      expect(hold).toMatchObject({ provisioned: 1_000 })

      const rejected = ['--as', 'rejected', ...BY]
      const about = (one: { uuid: string }, sending: number) =>
        trilho('settle', 'transfer', uuid, '--attempt', one.uuid, '--sending', String(sending), ...rejected)
      for (const sending of [1, 2]) {
        const { code, lines } = await about(seen!, sending)
        const now = `${second.provider}, attempt 2 (${next!.uuid}), sending 1, unknown`
        expect([code, lines[0].error]).toEqual([1, expect.stringContaining(now)])
      }
      const handle = (await testStack.connectTemporal()).workflow.getHandle(`transfer/${uuid}`)
      const word = { as: 'rejected', reason: 'bank A confirms it' }
      await handle.signal('manualSettlement', { ...word, attempt: seen!.uuid, sending: 1 })
      await handle.signal('manualSettlement', word)
      await handle.signal('manualSettlement', null)
      const acts = () => trilho('acts', '--subject', `transfer/${uuid}`)
      const { lines } = await pollUntil(acts, answer => answer.lines.length >= 3)
      expect(lines.map(({ action }: { action: string }) => action)).toEqual(Array(3).fill('settle_refused'))
      expect((await attempts())[1]).toEqual(next)
      expect(await held()).toEqual(hold)

      expect(await about(next!, 1)).toMatchObject({ code: 0 })
      await payouts.waitForStatus(merchant, uuid, 'FAILED')
    },

  'a manual settlement that is not allowed is refused before anything is stored': async () => {
    const uuid = randomUUID()
    const nameless = await trilho('settle', 'transfer', uuid, '--as', 'rejected', ...BY)
    expect(nameless.code).toBe(1)
    expect(nameless.stderr).toMatch(/--attempt/)
    const settle = ['settle', 'transfer', uuid, '--attempt', randomUUID(), '--sending', '1', '--as']
    expect((await trilho(...settle, 'settled', ...BY)).lines[0].error).toMatch(/--end-to-end is required/)
    const both = await trilho(...settle, 'rejected', '--end-to-end', 'E1', ...BY)
    expect([both.code, both.lines[0].error]).toEqual([1, '--end-to-end is allowed only with --as settled'])
    const silent = await trilho(...settle, 'rejected')
    expect(silent.code).toBe(1)
    expect(silent.stderr).toMatch(/--reason/)
    expect((await trilho('acts', '--subject', `transfer/${uuid}`)).lines).toEqual([])
  },

  'a connection added by a command serves a charge until its payment, also after its credentials are replaced':
    async () => {
      const { name, file, credentials, keep, accountUuid, add } = await atProviderD()
      const added = await trilho(...add)
      expect(added).toMatchObject({ code: 0, stderr: '' })
      const { provider_uuid } = added.lines[0]
      const { token } = (await trilho('token', 'issue', accountUuid, 'till', '--mode', 'test')).lines[0]
      const api = testStack.api.withToken(token)
      await payouts.createPaidCharge({ api }, { provider_uuid })
      const { body: shown } = await api.get(`/api/v1/providers/${provider_uuid}`)
      expect(shown.data.virtual_account).toEqual({
        type: 'NOMINAL',
        name: 'Loja de Teste Ltda',
        document: '11222333000181',
        account_type: 'PAYMENT',
        ...ACCOUNT_AT_PROVIDER_D,
        bank: { code: '', ...ACCOUNT_AT_PROVIDER_D.bank },
      })

      const fresh = { ...credentials, client_secret: randomUUID(), notification_secret: randomUUID() }
      await keep(fresh)
      const replaced = await trilho('connection', 'credentials', provider_uuid, file, ...BY)
      expect(replaced).toMatchObject({ code: 0, stderr: '' })
      await payouts.createPaidCharge({ api }, { provider_uuid })

      const stranger = {
        client_id: `${name}-2`,
        client_secret: randomUUID(),
        notification_secret: randomUUID(),
      }
      await keep(stranger, { name: `${name}-2`, key: randomUUID() })
      const refused = await trilho('connection', 'credentials', provider_uuid, file, ...BY)
      expect(refused).toMatchObject({
        code: 1,
        lines: [{ error: expect.stringMatching(/belong to another account at PROVIDER_D/) }],
      })
      await payouts.createPaidCharge({ api }, { provider_uuid })
    },

  'a connection opens with the provider’s balance, with the balance of the command, or with zero and a warning':
    async () => {
      const opens = async (more: string[], tells = true) => {
        const { name, accountUuid, add } = await atProviderD(50)
        const fault = { account: name, operation: 'balances', fault: 'http_500', times: 1_000 } as const
        if (!tells) await testStack.simulator.addFault({ provider: 'PROVIDER_D', ...fault })
        const { code, lines, stderr: complaint } = await trilho(...add, ...more)
        expect({ code, complaint }).toEqual({ code: 0, complaint: '' })
        const { provider_uuid, ...opening } = lines[0]
        const [{ available }] = (await testStack.sql<{ available: string }>(
          `select coalesce(sum(cents), 0) as available from balance where account_uuid = ? and bucket = 'available'`,
          [accountUuid],
        )) as [{ available: string }]
        return { opening, available: Number(available) }
      }
      expect(await opens([])).toEqual({ opening: { opening_balance: '50.00' }, available: 5_000 })
      expect(await opens(['--opening-balance', '12.50'], false)).toEqual({
        opening: { opening_balance: '12.50' },
        available: 1_250,
      })
      expect(await opens([], false)).toEqual({
        opening: {
          warning: expect.stringMatching(/the opening balance is 0\.00; .*`trilho ledger adjust`/),
        },
        available: 0,
      })
    },

  'a statement entry of an undocumented type is posted once after two operators have agreed': async () => {
    const merchant = await testStack.createMerchant({
      providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 100 }],
    })
    const { account, providerAccountUuid, uuid: connection } = merchant.connection
    await testStack.simulator.moveMoney({ provider: 'PROVIDER_B', account, kind: 'credit', value: 4 })
    const entries = async () =>
      (await trilho('ledger', 'entries')).lines.filter(one => one.provider_account === providerAccountUuid)
    const [entry] = await pollUntil(
      async () => {
        await trilho('reconcile', '--hours', '1')
        return entries()
      },
      ({ length }) => length === 1,
      { everyMs: 1_000 },
    )
    expect(entry).toMatchObject({ kind: 'unlisted', type: 'INTERNAL_TRANSFER', value: '4.00' })

    const [ana, bia] = [await anOperator(), await anOperator()]
    const by = (who: string) => ['--by', who, '--reason', 'from our other account']
    const adjust = ['ledger', 'adjust', merchant.uuid, '--connection', connection, '--direction', 'IN']
    const propose = (value: string, who: string) =>
      trilho(...adjust, '--value', value, '--entry', entry.entry, ...by(who))
    for (const [value, who, why] of [
      ['0.00', ana, /above zero/],
      ['5.00', ana, /another value/],
      ['4.00', 'nobody@trilho.test', /is not an operator/],
    ] as const) {
      const { code, lines } = await propose(value, who)
      expect([code, lines[0].error]).toEqual([1, expect.stringMatching(why)])
    }
    const { adjustment } = (await propose('4.00', ana)).lines[0]
    const proposals = async (...all: string[]) =>
      (await trilho('ledger', 'adjustments', ...all)).lines.filter(one => one.adjustment === adjustment)
    expect(await proposals()).toMatchObject([
      { direction: 'IN', value: '4.00', entry: entry.entry, proposed_by: ana },
    ])

    const approve = (who: string) => trilho('ledger', 'approve', adjustment, '--by', who)
    const balances = () => testStack.readBalances(merchant.uuid, providerAccountUuid)
    expect(await approve(ana)).toMatchObject({
      code: 1,
      lines: [{ error: expect.stringMatching(/another operator must approve/) }],
    })
    expect(await balances()).toMatchObject({ available: 10_000 })
    const booked = await approve(bia)
    expect(booked).toMatchObject({ code: 0, lines: [{ adjustment, movement: expect.any(String) }] })
    expect((await approve(bia)).lines).toEqual(booked.lines)
    expect(await balances()).toMatchObject({ available: 10_400 })
    expect([await entries(), await proposals()]).toEqual([[], []])
    const checked = await trilho('check-ledger', '--providers')
    expect(JSON.stringify(checked.lines)).not.toContain(providerAccountUuid)
    expect(await proposals('--all')).toMatchObject([{ approved_by: bia, movement: booked.lines[0].movement }])
    const acts = (await trilho('acts', '--subject', `adjustment/${adjustment}`)).lines
    expect(
      acts.map(({ action, actor }: { action: string; actor: string }) => `${action} ${actor}`).toSorted(),
    ).toEqual([`ledger_adjust ${ana}`, `ledger_approve ${bia}`])
  },

  'reconcile polls a provider account without an ACTIVE connection, and reports an incomplete comparison':
    async () => {
      const { connection } = await createMerchant()
      const [{ base_url }] = (await testStack.sql<{ base_url: string }>(
        `update connection set status = 'INACTIVE' where uuid = ? returning base_url`,
        [connection.uuid],
      )) as [{ base_url: string }]
      const reconciled = async (baseUrl: string) => {
        await testStack.sql('update connection set base_url = ? where uuid = ?', [baseUrl, connection.uuid])
        const { code, lines } = await trilho('reconcile', '--hours', '1')
        const [mine] = lines.filter(line => line.providerAccountUuid === connection.providerAccountUuid)
        return { code, mine, last: lines.at(-1) }
      }
      const unreached = await reconciled('https://localhost:1')
      expect(unreached).toMatchObject({ code: 1, mine: { noAnswer: expect.any(String) } })
      expect(unreached.last.not_compared).toBeGreaterThan(0)
      const { mine } = await reconciled(base_url)
      expect(mine).toMatchObject({ differences: 0 })
      expect(mine).not.toHaveProperty('noAnswer')
    },

  'reconcile records what a lost notification left out, and check-ledger compares every provider balance':
    async () => {
      const merchant = await createMerchant({ sendsNotifications: false })
      const { uuid, payment } = await merchant.api.createCharge()
      await testStack.simulator.pay({ payload: payment.payload })
      // An entry settled a moment ago may not have reached us yet: a later run compares it.
      await pollUntil(
        async () => {
          const { lines } = await trilho('reconcile', '--hours', '1')
          expect(lines.length).toBeGreaterThan(0)
          return merchant.api.readCharge(uuid)
        },
        ({ status }) => status === 'PAID',
        { everyMs: 1_000 },
      )
      const checked = await trilho('check-ledger', '--providers')
      expect(checked.lines.at(-1)).toEqual({ violations: checked.lines.length - 1 })
      expect(JSON.stringify(checked.lines)).not.toContain(merchant.connection.providerAccountUuid)
    },
})
