import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { providerActivities } from '../../../src/activities/index.ts'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { NO_FEES } from '../../../src/domain/ledger/money.ts'
import type {
  FindPayoutOutcome,
  IncomingPix,
  SendPayoutOutcome,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import type { PreRestoreState } from '../../../src/workflows/contracts/rebuild.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

describe('restored states', () => {
  /**
   * Every state of a restored row, against every end that its workflow reached since: one that ended without money gets
   * that end again, with nothing held, and without a poll.
   */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const ORDERED_AT = '2026-11-01T00:00:00.000Z'
  const restored = (ended: string, more: Partial<PreRestoreState> = {}): PreRestoreState => ({
    orderedAt: ORDERED_AT,
    ended,
    ...more,
  })
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

  const rebuildTransfer = (order: TransferInput, restored: PreRestoreState) =>
    fixture.providers.rebuildOperation({ noun: 'transfer', order, restored })
  const rebuildCharge = (order: ChargeInput, restored: PreRestoreState) =>
    fixture.providers.rebuildOperation({ noun: 'charge', order, restored })

  describe('a transfer', () => {
    const IN_BACKUP = ['missing', 'created', 'put off', 'sending', 'in doubt', 'settling'] as const

    /** The row of the backup. */
    async function inBackup(state: (typeof IN_BACKUP)[number]): Promise<TransferInput> {
      const merchant = await fixture.createMerchant(1_000)
      const scheduled = state === 'created' || state === 'put off'
      const order = fixture.transferInput(merchant, { ...(scheduled && { scheduledFor: inHours(1) }) })
      if (state === 'missing') return order
      await fixture.records.storeTransfer(order)
      if (state === 'created') return order
      const { uuid } = order
      const [connectionUuid] = order.candidates as [string]
      fixture.scriptProvider({
        sendTransfer: async () => {
          if (state === 'settling')
            return {
              kind: 'accepted',
              payout: { status: 'in_process', cents: 500, endToEnd: 'E1', at: ORDERED_AT },
            }
          const kind = state === 'put off' ? 'unreachable' : 'unknown'
          return { kind, code: 'timeout', message: 'no answer' }
        },
      })
      await fixture.providers.sendTransfer({ uuid, connectionUuid, isResend: false })
      if (state === 'sending')
        await fixture.sql(
          `update attempt set state = 'calling', unknown_since = null where subject_uuid = ?`,
          [uuid],
        )
      return order
    }

    const ENDS = [
      ...IN_BACKUP.filter(state => state !== 'settling').flatMap(state => [
        { state, ended: 'cancelled' },
        { state, ended: 'expired' },
      ]),
      ...IN_BACKUP.map(state => ({ state, ended: 'failed' })),
    ]
    test.each(ENDS)('$state in the backup, $ended since, is $ended again', async ({ state, ended }) => {
      const order = await inBackup(state)
      fixture.scriptProvider({
        findTransfer: async () => {
          throw new Error('no provider is polled')
        },
      })
      const before = restored(ended, ended === 'failed' ? { failure: 'invalid_key' } : {})
      expect(await rebuildTransfer(order, before)).toMatchObject({
        state: ended,
      })
      expect(await fixture.readBalances(order.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
      expect(
        await fixture.sql(
          `select state from attempt where subject_uuid = ? and state not in ('rejected', 'unreachable')`,
          [order.uuid],
        ),
      ).toEqual([])
      const [row] = await fixture.sql<{ code: string | null; shown: string }>(
        `select failure ->> 'code' as code, history -> -1 ->> 'status' as shown from transfer where uuid = ?`,
        [order.uuid],
      )
      expect(row).toEqual({ code: ended === 'failed' ? 'invalid_key' : null, shown: ended.toUpperCase() })
      // Repeated, it stays.
      expect(await rebuildTransfer(order, before)).toMatchObject({
        state: ended,
      })
    })

    test.each(IN_BACKUP)('%s in the backup, paid since, is polled', async state => {
      const order = await inBackup(state)
      const rebuilt = await rebuildTransfer(order, restored('paid'))
      expect(rebuilt).toMatchObject({ isEnded: false })
      expect(['created', 'sending', 'settling']).toContain(rebuilt.kind === 'known' && rebuilt.state)
    })
  })

  describe('a charge', () => {
    const receiver = toParty({ name: 'Loja' })
    const payloadOf = () => ({
      txid: randomUUID().replaceAll('-', ''),
      payload: 'payload',
      pixKey: 'key',
      receiver,
      expiresAt: inHours(1),
    })
    const IN_BACKUP = ['missing', 'issuing'] as const
    const ENDS = ['cancelled', 'expired', 'failed']
    const KNOWN = ['forgotten', 'open there'] as const

    async function inBackup(state: (typeof IN_BACKUP)[number]): Promise<ChargeInput> {
      const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
      const order: ChargeInput = {
        uuid: randomUUID(),
        accountUuid,
        candidates: [connectionUuid],
        valueCents: 500,
        details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
        expiresInSeconds: 3_600,
        requestId: 'r',
        timeScale: 1,
      }
      if (state === 'missing') return order
      fixture.scriptProvider({
        issueCharge: async () => {
          throw new Error('the worker dies')
        },
      })
      await fixture.providers.issueCharge(order).catch(() => undefined)
      return order
    }

    test.each(
      IN_BACKUP.flatMap(state => ENDS.flatMap(ended => KNOWN.map(known => ({ state, ended, known })))),
    )('$state in the backup, $ended since, $known, is $ended again', async ({ state, ended, known }) => {
      const order = await inBackup(state)
      fixture.scriptProvider({
        findCharge: async () =>
          known === 'forgotten'
            ? { kind: 'not_found' }
            : { kind: 'found', status: 'open', payments: [], charge: payloadOf() },
      })
      const result = await rebuildCharge(order, restored(ended))
      expect(result).toMatchObject({ kind: 'known', state: ended })
      const orphans = await fixture.sql(`select from attempt where subject_uuid = ? and state = 'orphan'`, [
        order.uuid,
      ])
      // A payload that was not shown is closed at its provider.
      if (ended === 'failed' && known === 'open there') expect(orphans).toHaveLength(1)
    })

    test('that was reported paid and is not found now is polled again, and never FAILED', async () => {
      const order = await inBackup('missing')
      fixture.scriptProvider({ findCharge: async () => ({ kind: 'not_found' }) })
      expect(await rebuildCharge(order, restored('paid'))).toEqual({
        kind: 'unknown',
        code: 'not_found',
      })
    })

    test.each([
      ['the amount of its payload, and is paid by it, whatever the fee table says now', 530, 30],
      ['the fee of the table where its provider reports no amount', undefined, 10],
      ['the fee of the table where its provider reports less than the value', 400, 10],
    ])('has %s', async (_, totalCents, feeCents) => {
      const order = await inBackup('missing')
      const fee = { fixedCents: 10, hundredthsOfPercent: 0 }
      await fixture.sql('update connection set fees = ?::jsonb where uuid = ?', [
        JSON.stringify({ ...NO_FEES, charge: fee }),
        order.candidates[0],
      ])
      const charge = { ...payloadOf(), ...(totalCents !== undefined && { totalCents }) }
      const payment: IncomingPix = {
        endToEnd: `E${charge.txid.slice(1)}`,
        txid: charge.txid,
        reference: null,
        payer: null,
        pixKey: 'key',
        cents: 500 + feeCents,
        status: 'settled',
        at: new Date().toISOString(),
      }
      fixture.scriptProvider({
        findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments: [payment] }),
      })
      await rebuildCharge(order, restored('paid'))
      await fixture.providers.pollCharge({ chargeUuid: order.uuid, isPayloadExpired: false })
      expect(
        await fixture.sql('select state, fee_cents, total_cents from charge where uuid = ?', [order.uuid]),
      ).toEqual([{ state: 'paid', fee_cents: String(feeCents), total_cents: String(500 + feeCents) }])
    })

    test.each(['cancelled', 'expired'])(
      'pending in the backup, %s since, gets that state again without a call to its provider',
      async ended => {
        const order = await inBackup('missing')
        const charge = payloadOf()
        fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
        await fixture.providers.issueCharge(order)
        for (let run = 0; run < 2; run++)
          expect(await rebuildCharge(order, restored(ended))).toMatchObject({ state: ended })
      },
    )
  })
})

describe('restored payouts', () => {
  /** A transfer whose row or workflow was lost, looked up at two providers of which neither has moved it. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const NOT_FOUND: FindPayoutOutcome = { kind: 'not_found' }
  const NO_ANSWER: FindPayoutOutcome = { kind: 'no_answer', code: 'timeout', message: 'no answer in time' }
  const AWAITING_APPROVAL: FindPayoutOutcome = {
    kind: 'awaiting_approval',
    code: 'awaiting_approval',
    message: 'approve it in the panel',
  }
  const ACCEPTED: SendPayoutOutcome = {
    kind: 'accepted',
    payout: { status: 'in_process', cents: 500, endToEnd: '', at: '2026-11-01T00:00:00.000Z' },
  }
  const UNREACHABLE: SendPayoutOutcome = { kind: 'unreachable', code: 'dns_failed', message: 'gone' }
  const UNKNOWN: SendPayoutOutcome = { kind: 'unknown', code: 'timeout', message: 'no answer in time' }

  /** A transfer with candidates A and B, in this order, each of which answers as it is told. */
  async function createTransfer() {
    const merchant = await fixture.createMerchant(1_000)
    const a = merchant.connectionUuid
    const b = await fixture.createConnection(merchant)
    const em = fixture.orm.em.fork()
    await postOpeningBalance(em, await em.findOneOrFail(Connection, b), 1_000)
    const order = fixture.transferInput(merchant, { candidates: [a, b] })
    const { uuid } = order
    const send: Record<string, SendPayoutOutcome> = {}
    const found: Record<string, FindPayoutOutcome> = {}
    const providerFor = (connection: { uuid: string }) =>
      ({
        preconnect: () => {},
        sendTransfer: async () => send[connection.uuid]!,
        findTransfer: async () => found[connection.uuid]!,
      }) as unknown as Provider
    const activities = providerActivities({
      ...fixture.dependencies,
      providers: { ...fixture.dependencies.providers, providerFor },
    })
    return {
      a,
      b,
      uuid,
      async send(connectionUuid: string, outcome: SendPayoutOutcome) {
        send[connectionUuid] = outcome
        return activities.sendTransfer({ uuid, connectionUuid, isResend: false, order })
      },
      restore(atA: FindPayoutOutcome, atB: FindPayoutOutcome, isFinalPoll = false) {
        Object.assign(found, { [a]: atA, [b]: atB })
        const orderedAt = new Date().toISOString()
        return activities.lookUpTransfer({
          uuid,
          candidates: order.candidates,
          orderedAt,
          pollCount: 0,
          isFinalPoll,
        })
      },
      rebuild: (acceptedByUuid: string) =>
        activities.rebuildOperation({
          noun: 'transfer',
          order,
          restored: { orderedAt: new Date().toISOString(), acceptedByUuid },
        }),
      storeUnsent: () => fixture.records.storeTransfer(order),
      /** States of the attempts by their connection. */
      async readAttempts() {
        const rows = await fixture.sql<{ at: string; state: string; code: string }>(
          `select connection_uuid as at, state, code from attempt where subject_uuid = ?`,
          [uuid],
        )
        return Object.fromEntries(
          rows.map(({ at, state, code }) => [at === a ? 'a' : 'b', `${state} ${code}`]),
        )
      },
    }
  }

  test.each<[what: string, other: FindPayoutOutcome]>([
    ['does not find it', NOT_FOUND],
    ['does not answer', NO_ANSWER],
  ])('an order that awaits approval is live at its provider where another one %s', async (_, other) => {
    const { a, uuid, restore, storeUnsent, readAttempts } = await createTransfer()
    await storeUnsent()
    const unknown = { kind: 'unknown', code: 'awaiting_approval', connectionUuid: a }
    expect(await restore(AWAITING_APPROVAL, other)).toEqual(unknown)
    // An order can appear again, or be approved, also when its absence seemed to be proved.
    expect(await restore(AWAITING_APPROVAL, other, true)).toEqual(unknown)
    expect(await readAttempts()).toEqual({ a: 'unknown awaiting_approval' })
    expect(
      await fixture.sql(
        `select kind, occurrences from attempt_answer join attempt on attempt.uuid = attempt_uuid where subject_uuid = ?`,
        [uuid],
      ),
    ).toEqual([{ kind: 'awaiting_approval', occurrences: 2 }])
  })

  test('an order that awaits approval stays live although a later candidate has rejected the transfer', async () => {
    const { a, send, restore, readAttempts } = await createTransfer()
    await send(a, UNKNOWN)
    const rejected = {
      kind: 'found',
      payout: { status: 'rejected', cents: 500, endToEnd: '', at: null },
    } as const
    expect(await restore(AWAITING_APPROVAL, rejected)).toMatchObject({ kind: 'unknown', connectionUuid: a })
    expect(await readAttempts()).toEqual({ a: 'unknown awaiting_approval' })
  })

  test.each<[what: string, atA: FindPayoutOutcome, atB: FindPayoutOutcome]>([
    ['does not find it, while an earlier candidate does not answer', NO_ANSWER, NOT_FOUND],
    ['does not find it, while an earlier candidate awaits approval', AWAITING_APPROVAL, NOT_FOUND],
    ['does not answer, while an earlier candidate awaits approval', AWAITING_APPROVAL, NO_ANSWER],
  ])('a transfer stays accepted where its provider %s', async (_, atA, atB) => {
    const { a, b, send, restore, readAttempts } = await createTransfer()
    await send(a, UNREACHABLE)
    await send(b, ACCEPTED)
    expect(await restore(atA, atB)).toMatchObject({ kind: 'unknown', connectionUuid: b })
    // Absent at both: what was accepted once is not closed by that.
    expect(await restore(NOT_FOUND, NOT_FOUND, true)).toMatchObject({ kind: 'unknown', connectionUuid: b })
    expect(await readAttempts()).toEqual({ a: 'unreachable dns_failed', b: 'accepted null' })
  })

  test('a rebuilt transfer that a provider had accepted is not closed by "not found", and its money is held there', async () => {
    const { b, uuid, rebuild, restore, readAttempts } = await createTransfer()
    for (let run = 0; run < 2; run++)
      expect(await rebuild(b)).toMatchObject({ kind: 'known', state: 'sending', isEnded: false })
    expect(await restore(NOT_FOUND, NOT_FOUND, true)).toMatchObject({ kind: 'unknown', connectionUuid: b })
    expect(await readAttempts()).toEqual({ b: 'accepted null' })
    expect(
      await fixture.sql(
        'select connection_uuid as at, held_cents::int as held from transfer where uuid = ?',
        [uuid],
      ),
    ).toEqual([{ at: b, held: 500 }])
  })

  test('a rebuilt transfer is found at another provider than the one that had accepted it', async () => {
    const { a, b, rebuild, restore, readAttempts } = await createTransfer()
    await rebuild(b)
    const settled = {
      kind: 'found',
      payout: { status: 'settled', cents: 500, endToEnd: `E${'8'.repeat(31)}`, at: null },
    } as const
    expect(await restore(settled, NOT_FOUND)).toEqual({ kind: 'found', connectionUuid: a })
    expect(await readAttempts()).toEqual({ a: 'unknown interrupted', b: 'unreachable interrupted' })
  })
})
