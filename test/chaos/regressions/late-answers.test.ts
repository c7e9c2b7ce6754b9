import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type {
  IncomingPix,
  ProviderPayout,
  SendPayoutOutcome,
  StatementEntry,
} from '../../../src/domain/providers/provider.ts'
import { createEfiNotifications } from '../../../src/providers/efi/notifications.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createPaidCharge } from '../support/money-fixture.ts'

describe('late answers', () => {
  /** A payout call that Temporal has given up changes nothing of what was learned since, when its answer arrives. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  let order: TransferInput
  let key: { uuid: string; connectionUuid: string }
  let accountUuid: string
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  beforeEach(async () => {
    const merchant = await fixture.createMerchant(1_000)
    accountUuid = merchant.accountUuid
    order = fixture.transferInput(merchant)
    key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
    await fixture.records.storeTransfer(order)
  })
  afterAll(() => fixture?.close())

  /** A call in progress, and the function that answers it. */
  async function calling(again: boolean) {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<SendPayoutOutcome>()
    fixture.scriptProvider({
      sendTransfer() {
        asked.resolve()
        return answer.promise
      },
    })
    const sent = fixture.providers.sendTransfer({ ...key, isResend: again })
    await asked.promise
    return {
      answered(outcome: SendPayoutOutcome) {
        answer.resolve(outcome)
        return sent
      },
    }
  }
  const attempt = async () => {
    const [row] = await fixture.sql('select state, code from attempt where subject_uuid = ?', [key.uuid])
    return row
  }
  const state = async () => {
    const [row] = await fixture.sql<{ state: string }>('select state from transfer where uuid = ?', [
      key.uuid,
    ])
    return row?.state
  }

  const sending = { status: 'in_process', cents: 500, endToEnd: `E${'1'.repeat(31)}`, at: null } as const
  const inProcess: SendPayoutOutcome = { kind: 'accepted', payout: sending }
  const refusal = {
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'rate_limited',
    message: 'later',
  } as const
  const unreachable = { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' } as const
  const unknown = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const

  test.each([refusal, unreachable, unknown])(
    'a first call answered ($kind) after its repeat was accepted does not change the repeat’s outcome',
    async late => {
      const first = await calling(false)
      const repeat = await calling(true)
      expect(await repeat.answered(inProcess)).toEqual({ kind: 'in_process' })
      expect(await first.answered(late)).toEqual({ kind: 'in_process' })
      expect(await attempt()).toEqual({ state: 'accepted', code: null })
      expect(await state()).toBe('settling')
      expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500, provisioned: 500 })
    },
  )

  test.each([refusal, unreachable, unknown])(
    'a call answered ($kind) while its repeat is in progress leaves the outcome to the repeat',
    async late => {
      const first = await calling(false)
      const repeat = await calling(true)
      expect(await first.answered(late)).toMatchObject({ kind: 'unknown' })
      expect(await attempt()).toMatchObject({ state: 'calling' })
      expect(await repeat.answered(inProcess)).toEqual({ kind: 'in_process' })
      expect(await state()).toBe('settling')
    },
  )

  test.each([refusal, unreachable, unknown])(
    'an operation that was found meanwhile stays found, whatever its own call’s answer ($kind)',
    async late => {
      const first = await calling(false)
      fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: sending }) })
      await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
      expect(await first.answered(late)).toEqual({ kind: 'in_process' })
      expect(await attempt()).toEqual({ state: 'accepted', code: null })
      expect(await state()).toBe('settling')
    },
  )

  test('a refusal of the current attempt counts, although its outcome was presumed lost', async () => {
    const first = await calling(false)
    fixture.scriptProvider({
      findTransfer: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer' }),
    })
    await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
    expect(await attempt()).toEqual({ state: 'unknown', code: 'interrupted' })
    expect(await first.answered(refusal)).toMatchObject({ kind: 'rejected', code: 'rate_limited' })
  })

  test('a worker that was suspended after it committed the attempt does not call the provider once its workflow has continued', async () => {
    const sendTransfer = jest.fn(async () => inProcess)
    fixture.scriptProvider({ sendTransfer })
    let at = performance.now()
    using _ = jest.spyOn(performance, 'now').mockImplementation(() => {
      at += 20_000
      return at
    })
    await expect(fixture.providers.sendTransfer({ ...key, isResend: false })).rejects.toThrow(
      'has begun to poll its outcome',
    )
    expect(sendTransfer).not.toHaveBeenCalled()
    expect(await attempt()).toMatchObject({ state: 'calling' })
  })
})

describe('notified details', () => {
  /** What a provider tells in a notification only, and what a new key needs to be notified. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
    const credentials = { client_id: 'id', client_secret: 's', notification_secret: 'n' }
    const { readNotifiedDetails } = createEfiNotifications(credentials)
    fixture.scriptProvider({ readNotifiedDetails: readNotifiedDetails! })
  })
  afterAll(() => fixture?.close())

  type Notification = {
    kind: 'payment' | 'transfer'
    reference: string | null
    endToEnd: string
    raw: object
  }

  async function storeNotification(connectionUuid: string, { raw, ...notification }: Notification) {
    const em = fixture.orm.em.fork()
    const received = { ...notification, uuid: randomUUID(), body: JSON.stringify(raw), requestId: 'r' }
    await runQuery(em, storeProviderNotifications(em, connectionUuid, [received]))
  }

  test.each([
    ['names', { pagador: { nome: 'Maria', cpf: '***.456.789-**', codigoBanco: '00416968' } }, 'Maria'],
    ['does not name', { tarifa: '0.01' }, undefined],
  ])('a deposit has the payer whom only its notification %s', async (_, gnExtras, name) => {
    const { connectionUuid } = await fixture.createMerchant(0)
    const endToEnd = `E${randomUUID().replaceAll('-', '').slice(1)}`
    const raw = { endToEndId: endToEnd, valor: '1.00', gnExtras }
    await storeNotification(connectionUuid, { kind: 'payment', reference: null, endToEnd, raw })
    const payment: IncomingPix = {
      endToEnd,
      txid: null,
      reference: null,
      cents: 100,
      status: 'settled',
      at: new Date().toISOString(),
      payer: null,
      pixKey: 'k',
    }
    fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
    await fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
    const [row] = await fixture.sql<{ sender: { name: string } | null }>(
      'select sender from movement where end_to_end = ?',
      [endToEnd],
    )
    expect(row!.sender?.name).toBe(name)
  })

  test('a transfer that is refused late has the cause that only its notification tells', async () => {
    const merchant = await fixture.createMerchant(1_000)
    const { connectionUuid } = merchant
    const order = fixture.transferInput(merchant, { valueCents: 500 })
    await fixture.records.storeTransfer(order)
    const payout = { status: 'in_process', cents: 500, endToEnd: 'E1', at: null } as const
    fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
    await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
    const erro = { codigo: 'AC03', origem: 'PSP do usuário recebedor', motivo: 'Conta inexistente' }
    const reference = referenceOf(order.uuid)
    const raw = { status: 'NAO_REALIZADO', gnExtras: { idEnvio: reference, erro } }
    await storeNotification(connectionUuid, { kind: 'transfer', reference, endToEnd: 'E1', raw })
    const rejected = { ...payout, status: 'rejected', code: 'provider_rejected', message: 'No' } as const
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: rejected }) })
    expect(
      await fixture.providers.pollTransfer({ uuid: order.uuid, connectionUuid, pollCount: 1 }),
    ).toMatchObject({ kind: 'rejected', code: 'AC03' })
  })

  test.each<[string, Awaited<ReturnType<Provider['registerNotificationUrl']>>[], string]>([
    ['at once', [{ kind: 'registered' }], 'active'],
    [
      'after an answer was lost',
      [{ kind: 'no_answer', code: 'timeout', message: '' }, { kind: 'registered' }],
      'active',
    ],
    ['although it is refused', [{ kind: 'no_answer', code: 'provider_denied', message: '' }], 'active'],
  ])('the URL of notifications is registered for a created key, %s', async (_, answers, state) => {
    const { connectionUuid } = await fixture.createMerchant(0)
    const [uuid, key] = [randomUUID(), randomUUID()]
    await fixture.sql(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', 'creating', 'r', 'f', now(), now()
     from connection where uuid = ?`,
      [uuid, connectionUuid],
    )
    const registered: unknown[] = []
    const calls = answers.length
    let listed: string[] = []
    fixture.scriptProvider({
      listKeys: async () => ({
        kind: 'found',
        keys: listed.map(one => ({ type: 'RANDOM' as const, key: one })),
      }),
      async createKey() {
        listed = [key]
        return { kind: 'created', key }
      },
      async registerNotificationUrl(...call) {
        registered.push(call)
        return answers.shift()!
      },
    })
    await fixture.providers.createKey({ uuid })
    if (calls > 1)
      expect(await fixture.providers.pollPixKey({ uuid, pollCount: 0 })).toMatchObject({ kind: 'closed' })
    expect(await fixture.sql('select key, state from pix_key where uuid = ?', [uuid])).toEqual([
      { key, state },
    ])
    const url = `https://trilho.test/provider-notifications/${connectionUuid}`
    expect(registered).toEqual(Array.from({ length: calls }, () => [url, key]))
  })
})

describe('late end to end ids', () => {
  /** Payouts that their providers settle without an end-to-end id, which they report later. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const HOUR_MS = 3_600_000
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const railId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

  type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>
  /** Our uuid of the payout, its poll, and the end-to-end id of the PIX that it returns. */
  type SettledPayout = { uuid: string; poll: () => Promise<unknown>; returnOf?: string }

  /** Payouts of R$ 5.00, or of R$ 10.00 where a whole PIX is returned, that settle without an end-to-end id. */
  const PAYOUTS = {
    async transfer(merchant: Merchant): Promise<SettledPayout> {
      const order = fixture.transferInput(merchant)
      const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
      await fixture.records.storeTransfer(order)
      await fixture.providers.sendTransfer({ ...key, isResend: false })
      return { uuid: order.uuid, poll: () => fixture.providers.pollTransfer({ ...key, pollCount: 1 }) }
    },
    async refund(merchant: Merchant): Promise<SettledPayout> {
      const chargeUuid = await createPaidCharge(fixture, merchant)
      const order = { uuid: randomUUID(), chargeUuid, ...merchant, valueCents: 500 }
      const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
      await fixture.records.openRefund({ ...order, fingerprint: 'f', requestId: 'r', timeScale: 1 })
      await fixture.providers.sendRefund({ ...key, isResend: false })
      const returnOf = await readId('select end_to_end as id from charge where uuid = ?', chargeUuid)
      return {
        uuid: order.uuid,
        returnOf: returnOf!,
        poll: () => fixture.providers.pollRefund({ ...key, pollCount: 1 }),
      }
    },
    async return({ connectionUuid }: Merchant): Promise<SettledPayout> {
      const returnOf = railId('E')
      const payment = { endToEnd: returnOf, txid: '', cents: 500, status: 'settled', at: ago(9 * HOUR_MS) }
      const { uuid } = await runInTransaction(fixture.orm, async em => {
        const connection = await em.findOneOrFail(Connection, connectionUuid)
        const pix = { connection, payment: payment as IncomingPix }
        return recordUnmatchedPayment(em, { ...pix, reason: 'second_payment', requestId: 'r' })
      })
      const key = { uuid, connectionUuid }
      await fixture.providers.sendReturn({ ...key, isResend: false })
      return { uuid, returnOf, poll: () => fixture.providers.pollReturn({ ...key, pollCount: 1 }) }
    },
  }
  type PayoutKind = keyof typeof PAYOUTS
  const KINDS = Object.keys(PAYOUTS) as PayoutKind[]

  async function readId(sql: string, ...values: string[]): Promise<string | null | undefined> {
    const [row] = await fixture.sql<{ id: string | null }>(sql, values)
    return row?.id
  }

  /** A payout that has settled without an end-to-end id, and the statement of its provider. */
  async function settleWithoutId(kind: PayoutKind) {
    const merchant = await fixture.createMerchant(2_000)
    const settled: ProviderPayout = { status: 'settled', cents: 500, endToEnd: '', at: ago(HOUR_MS) }
    const accept = async () => ({ kind: 'accepted', payout: settled }) as const
    fixture.scriptProvider({ sendTransfer: accept, refund: accept })
    const payout = await PAYOUTS[kind](merchant)
    const { uuid, returnOf } = payout
    const providerAccountUuid = (await readId(
      'select provider_account_uuid as id from connection where uuid = ?',
      merchant.connectionUuid,
    ))!
    return {
      ...payout,
      merchant,
      /** Polls a provider that reports this id. */
      async pollReporting(endToEnd: string) {
        const find = async () => ({ kind: 'found', payout: { ...settled, endToEnd } }) as const
        fixture.scriptProvider({ findTransfer: find, findRefund: find })
        return payout.poll()
      },
      entry: (more: Partial<StatementEntry> = {}): StatementEntry => ({
        endToEnd: railId(kind === 'transfer' ? 'E' : 'D'),
        reference: referenceOf(uuid),
        direction: 'OUT',
        cents: 500,
        at: settled.at!,
        ...(returnOf && { returnOf }),
        ...more,
      }),
      /** Compares a statement, by default of the last two hours. */
      async compare(entries: StatementEntry[], hours = 2) {
        const isListed = (from: string, to: string) => entries.filter(({ at }) => at >= from && at <= to)
        fixture.scriptProvider({
          statement: async (from, to) => ({ kind: 'found', entries: isListed(from, to) }),
          listDisputes: async () => ({ kind: 'found', disputes: [] }),
        })
        const order = { providerAccountUuid, from: ago(hours * HOUR_MS), to: ago(0) }
        const { repaired, differences } = await reconcile(fixture.dependencies)(order)
        return { repaired, differences }
      },
      /** The ids of the attempt, of its movement and, where there is one, of the order. */
      async readIds() {
        const rows = await fixture.sql<{ id: string | null }>(
          `select end_to_end as id from attempt where subject_uuid = ?
         union all select end_to_end from movement where movement_type = 'OUT'
           and ? in (transfer_uuid, refund_uuid, case when refund_uuid is null then original_uuid end)
         union all select end_to_end from transfer where uuid = ?
         union all select end_to_end from refund where uuid = ?`,
          [uuid, uuid, uuid, uuid],
        )
        return [...new Set(rows.map(({ id }) => id))]
      },
      async listOpenDifferences() {
        const rows = await fixture.sql<{ kind: string }>(
          'select kind from difference where provider_account_uuid = ? and settled_at is null',
          [providerAccountUuid],
        )
        return rows.map(row => row.kind)
      },
    }
  }

  describe.each(KINDS)('a %s that has settled without an end-to-end id', kind => {
    test('gets the id that its provider reports in a later poll, once', async () => {
      const payout = await settleWithoutId(kind)
      const endToEnd = railId('E')
      expect(await payout.readIds()).toEqual([null])
      expect(await payout.pollReporting('')).toMatchObject({ kind: 'settled' })
      expect(await payout.readIds()).toEqual([null])
      expect(await payout.pollReporting(endToEnd)).toMatchObject({ kind: 'settled' })
      expect(await payout.readIds()).toEqual([endToEnd])
      expect(await payout.pollReporting(railId('E'))).toMatchObject({ kind: 'settled' })
      expect(await payout.readIds()).toEqual([endToEnd])
    })

    test('gets the id of the statement entry that names our id, and nothing differs', async () => {
      const payout = await settleWithoutId(kind)
      const balances = await fixture.readBalances(payout.merchant.accountUuid)
      const entry = payout.entry()
      fixture.signalledWorkflowIds.length = 0
      for (const _ of ['first', 'repeated'])
        expect(await payout.compare([entry])).toMatchObject({ repaired: 0, differences: 0 })
      expect(await payout.readIds()).toEqual([entry.endToEnd])
      expect(await payout.listOpenDifferences()).toEqual([])
      expect(fixture.signalledWorkflowIds).toEqual([])
      expect(await fixture.readBalances(payout.merchant.accountUuid)).toEqual(balances)
      expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
    })
  })

  test.each<[what: string, kind: PayoutKind, (entry: StatementEntry) => StatementEntry[]]>([
    ['without our id, by its value alone', 'transfer', entry => [{ ...entry, reference: null }]],
    ['with another id of ours', 'transfer', entry => [{ ...entry, reference: referenceOf(randomUUID()) }]],
    ['with another value', 'transfer', entry => [{ ...entry, cents: 499 }]],
    ['that returns another PIX', 'refund', entry => [{ ...entry, returnOf: railId('E') }]],
    ['one of two that name our id', 'transfer', entry => [entry, { ...entry, endToEnd: railId('E') }]],
  ])('the id of a statement entry %s is not recorded', async (_, kind, alter) => {
    const payout = await settleWithoutId(kind)
    const entries = alter(payout.entry())
    await payout.compare(entries)
    await payout.compare(entries)
    expect(await payout.readIds()).toEqual([null])
    expect(await payout.listOpenDifferences()).toEqual(entries.map(() => 'missing_here'))
  })

  test('an id that another movement carries is recorded neither from a poll nor from the statement', async () => {
    const payout = await settleWithoutId('transfer')
    const other = await PAYOUTS.transfer(payout.merchant)
    const entry = payout.entry()
    await payout.compare([entry])
    const find = async () =>
      ({
        kind: 'found',
        payout: { status: 'settled', cents: 500, endToEnd: entry.endToEnd, at: entry.at },
      }) as const
    fixture.scriptProvider({ findTransfer: find })
    expect(await other.poll()).toMatchObject({ kind: 'settled' })
    expect(await payout.compare([entry, { ...entry, reference: referenceOf(other.uuid) }])).toMatchObject({
      differences: 0,
    })
    const id = await readId('select end_to_end as id from transfer where uuid = ?', other.uuid)
    expect(id).toBeNull()
  })

  test('a difference of a payout that settles without its id after its day was compared is gone with the next run', async () => {
    const payout = await settleWithoutId('transfer')
    const entry = payout.entry({ at: ago(3 * HOUR_MS) })
    const setState = (from: string, to: string) =>
      fixture.sql(
        `set session_replication_role = replica;
       update attempt set state = '${to}' where subject_uuid = '${payout.uuid}' and state = '${from}';
       set session_replication_role = origin`,
      )
    await setState('settled', 'unknown')
    for (const _ of ['routed', 'shown']) await payout.compare([entry], 4)
    expect(await payout.listOpenDifferences()).toEqual(['missing_here'])
    await setState('unknown', 'settled')
    await payout.compare([entry], 2)
    expect(await payout.listOpenDifferences()).toEqual([])
    expect(await payout.readIds()).toEqual([entry.endToEnd])
  })
})
