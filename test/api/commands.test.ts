import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { readJson } from '../../src/local/home.ts'
import { commandLine } from '../support/command-line.ts'
import { type MoneyOut, moneyOut } from './support/money-out.ts'
import { type Merchant, type Stage, sharedStage } from './support/stage.ts'
import { together } from './support/together.ts'
import { until } from './support/until.ts'

/** The commands that speak to lives and providers, given in a shell beside a running stack. */

let stage: Stage
let out: MoneyOut
let folder: string
const merchants: Merchant[] = []
beforeAll(async () => {
  stage = await sharedStage()
  out = moneyOut(stage)
  folder = await mkdtemp(join(tmpdir(), 'trilho-commands-'))
})
afterAll(async () => {
  await stage.booksAgree({ connections: merchants.flatMap(({ connections }) => connections) })
  await stage.close()
  await rm(folder, { recursive: true })
})

/** What a shell sees of `npm run trilho -- …`. */
const trilho = (...words: string[]) => commandLine({ TRILHO_HOME: stage.home.folder })(...words)

async function aMerchant(options: { tells?: boolean } = {}): Promise<Merchant> {
  const merchant = await stage.merchant({ providers: [{ balance: 100, ...options }] })
  merchants.push(merchant)
  return merchant
}

/** The attempt of a transfer as `trilho unknown` lists it, in the words of `trilho settle`. */
async function seenOf(uuid: string): Promise<string[]> {
  const { attempt, sending } = (await trilho('unknown')).lines.find(line => line.uuid === uuid)
  return ['--attempt', attempt, '--sending', String(sending)]
}

/** A transfer whose provider has lost it and answers no question about it. */
async function inDoubt(): Promise<{ merchant: Merchant; uuid: string }> {
  const merchant = await aMerchant({ tells: false })
  await out.fault(merchant.connection, 'sendTransfer', 'timeout_then_absent')
  await out.fault(merchant.connection, 'findTransfer', 'http_500', { times: 1_000 })
  const { body } = await out.send(merchant, {}, { limitMs: 30_000 })
  expect(body.data).toMatchObject({ status: 'PROCESSING', outcome: 'unknown' })
  return { merchant, uuid: body.data.uuid }
}
const BY = ['--by', 'ana', '--reason', 'told by telephone']
/** Some of it asks about every account that other suites have opened beside it. */
const EVERY_ACCOUNT_MS = 240_000

together(
  {
    'an unknown transfer ends by an operator’s word, with who and why; a second word finds nothing to settle':
      async () => {
        const { merchant, uuid } = await inDoubt()
        const seen = await seenOf(uuid)
        const told = await trilho('settle', 'transfer', uuid, ...seen, '--as', 'rejected', ...BY)
        expect(told).toMatchObject({ code: 0, lines: [{ told: `transfer/${uuid}` }] })
        const failed = await out.becomes(merchant, uuid, 'FAILED')
        expect(failed.error).toMatchObject({ code: 'settled_by_operator' })
        expect(await stage.balances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
          available: 10_000,
          outside: -10_000,
        })
        const acts = await trilho('acts', '--subject', `transfer/${uuid}`)
        expect(acts.lines).toMatchObject([
          { act: 'settle_rejected', who: 'ana', reason: 'told by telephone' },
        ])

        const late = await trilho('settle', 'transfer', uuid, ...seen, '--as', 'rejected', ...BY)
        expect(late).toMatchObject({
          code: 1,
          lines: [{ error: expect.stringMatching(/has changed since .* attempt 1 .*, rejected/) }],
        })
        expect((await trilho('acts', '--subject', `transfer/${uuid}`)).lines).toHaveLength(1)
      },

    'a word about one provider is refused once the next one was called, at the door and by a signal':
      async () => {
        const merchant = await stage.merchant({
          providers: [
            { balance: 100, tells: false },
            { balance: 100, tells: false },
          ],
        })
        merchants.push(merchant)
        const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
        await out.fault(first, 'sendTransfer', 'timeout_then_absent')
        await out.fault(first, 'sendTransfer', 'refused') // Its absence is proved, and the repeat refused.
        await out.fault(second, 'sendTransfer', 'timeout_then_absent')
        await out.fault(second, 'findTransfer', 'http_500', { times: 1_000 })
        const { uuid } = (await out.send(merchant, {}, { limitMs: 30_000 })).body.data
        const attempts = () =>
          stage.sql<{ uuid: string; state: string; sendings: number; code: string }>(
            'select uuid, state, sendings, code from attempt where subject_uuid = ? order by position',
            [uuid],
          )
        const [seen, next] = await until(attempts, ([, later]) => later?.state === 'unknown', {
          limitMs: 30_000,
        })
        const held = () => stage.balances(merchant.uuid, second.providerAccountUuid)
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
        const life = (await stage.temporal()).workflow.getHandle(`transfer/${uuid}`)
        const word = { as: 'rejected', reason: 'bank A confirms it' }
        await life.signal('operatorSettles', { ...word, attempt: seen!.uuid, sending: 1 })
        await life.signal('operatorSettles', word)
        await life.signal('operatorSettles', null)
        const acts = () => trilho('acts', '--subject', `transfer/${uuid}`)
        const { lines } = await until(acts, answer => answer.lines.length >= 3, { limitMs: 30_000 })
        expect(lines.map(({ act }: { act: string }) => act)).toEqual(Array(3).fill('settle_refused'))
        expect((await attempts())[1]).toEqual(next)
        expect(await held()).toEqual(hold)

        expect(await about(next!, 1)).toMatchObject({ code: 0 })
        await out.becomes(merchant, uuid, 'FAILED')
      },

    'what cannot be settled is refused before anything is written down': async () => {
      const uuid = randomUUID()
      const nameless = await trilho('settle', 'transfer', uuid, '--as', 'rejected', ...BY)
      expect(nameless.code).toBe(1)
      expect(nameless.complaint).toMatch(/--attempt/)
      const settle = ['settle', 'transfer', uuid, '--attempt', randomUUID(), '--sending', '1', '--as']
      expect((await trilho(...settle, 'settled', ...BY)).lines[0].error).toMatch(/--end-to-end is needed/)
      const both = await trilho(...settle, 'rejected', '--end-to-end', 'E1', ...BY)
      expect([both.code, both.lines[0].error]).toEqual([1, '--end-to-end is only of what was settled'])
      const silent = await trilho(...settle, 'rejected')
      expect(silent.code).toBe(1)
      expect(silent.complaint).toMatch(/--reason/)
      expect((await trilho('acts', '--subject', `transfer/${uuid}`)).lines).toEqual([])
    },

    'a connection added by command carries a charge to its payment, also after its credentials were replaced':
      async () => {
        const simulated = await readJson<{ providers: Record<string, { base_url: string }> }>(
          `${stage.home.simulator}/simulator.json`,
        )
        const name = `suite-${randomUUID()}`
        const collectionKey = randomUUID()
        const account = (credentials: object, at = { name, key: collectionKey }) =>
          stage.simulator.account(at.name, {
            ...(credentials as { client_id: string; client_secret: string; notice_secret: string }),
            provider: 'PROVIDER_D',
            dialect: 'efi',
            holder: { name: 'Loja de Teste Ltda', document: '11222333000181' },
            city: 'SAO PAULO',
            ispb: '09089356',
            keys: [at.key],
          })
        const file = join(folder, `${name}.json`)
        const credentials = { client_id: name, client_secret: randomUUID(), notice_secret: randomUUID() }
        await account(credentials)
        await writeFile(file, JSON.stringify(credentials))

        const opened = await trilho('account', 'open', 'Loja de Teste Ltda', '11222333000181')
        const { account_uuid: accountUuid } = opened.lines[0]
        const added = await trilho(
          ...[
            'connection',
            'add',
            accountUuid,
            '--provider',
            'PROVIDER_D',
            '--dialect',
            'efi',
            '--simulated',
          ],
          ...['--provider-account', name, '--credentials', file, '--collection-key', collectionKey],
          ...['--base-url', simulated!.providers.PROVIDER_D!.base_url],
        )
        expect(added).toMatchObject({ code: 0, complaint: '' })
        const { provider_uuid } = added.lines[0]
        const { token } = (await trilho('token', 'issue', accountUuid, 'till', '--mode', 'test')).lines[0]
        const api = stage.api.as(token)
        await out.paidCharge({ api }, { provider_uuid })

        const fresh = { ...credentials, client_secret: randomUUID(), notice_secret: randomUUID() }
        await account(fresh)
        await writeFile(file, JSON.stringify(fresh))
        const replaced = await trilho('connection', 'credentials', provider_uuid, file, ...BY)
        expect(replaced).toMatchObject({ code: 0, complaint: '' })
        await out.paidCharge({ api }, { provider_uuid })

        const stranger = { client_id: `${name}-2`, client_secret: randomUUID(), notice_secret: randomUUID() }
        await account(stranger, { name: `${name}-2`, key: randomUUID() })
        await writeFile(file, JSON.stringify(stranger))
        const refused = await trilho('connection', 'credentials', provider_uuid, file, ...BY)
        expect(refused).toMatchObject({
          code: 1,
          lines: [{ error: expect.stringMatching(/belong to another account at PROVIDER_D/) }],
        })
        await out.paidCharge({ api }, { provider_uuid })
      },

    'reconcile asks where no connection is ACTIVE any more, and is not clean where it could not compare':
      async () => {
        const { connection } = await aMerchant()
        const [{ base_url }] = (await stage.sql<{ base_url: string }>(
          `update connection set status = 'INACTIVE' where uuid = ? returning base_url`,
          [connection.uuid],
        )) as [{ base_url: string }]
        const reconciled = async (baseUrl: string) => {
          await stage.sql('update connection set base_url = ? where uuid = ?', [baseUrl, connection.uuid])
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

    'reconcile brings in what a lost notice left, and check-ledger asks every provider': async () => {
      const merchant = await aMerchant({ tells: false })
      const { uuid, payment } = await merchant.api.charge()
      await stage.simulator.pay({ payload: payment.payload })
      // What settled a moment ago may be on its way to us still: a later look compares it.
      await until(
        async () => {
          const { lines } = await trilho('reconcile', '--hours', '1')
          expect(lines.length).toBeGreaterThan(0)
          return merchant.api.read(uuid)
        },
        ({ status }) => status === 'PAID',
        { limitMs: 60_000, everyMs: 1_000 },
      )
      const checked = await trilho('check-ledger', '--providers')
      expect(checked.lines.at(-1)).toEqual({ violations: checked.lines.length - 1 })
      expect(JSON.stringify(checked.lines)).not.toContain(merchant.connection.providerAccountUuid)
    },
  },
  EVERY_ACCOUNT_MS,
)
