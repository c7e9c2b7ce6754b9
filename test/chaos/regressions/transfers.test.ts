import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { startPause } from '../../../src/admin/pauses.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { ProviderPayout, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Findings of storms about transfers, each as a minimal test. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const settled: ProviderPayout = {
  status: 'settled',
  cents: 500,
  endToEnd: `E${'1'.repeat(31)}`,
  at: '2026-11-21T12:00:00Z',
}
const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

test('the event of a settled transfer shows its attempt as settled, whatever was unknown before', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const { uuid } = order
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
    findTransfer: async () => ({ kind: 'found', payout: settled }),
  })
  const { connectionUuid } = merchant
  await fixture.providers.sendTransfer({ uuid, connectionUuid, isResend: false })
  await fixture.providers.pollTransfer({ uuid, connectionUuid, pollCount: 1 })

  const [body] = await readEventBodies(fixture.sql, `subject_uuid = ? and type = 'TRANSFER'`, [uuid])
  expect(body).toMatchObject({ status: 'PAID', attempts: [{ outcome: 'settled', code: '' }] })
  expect(body).not.toHaveProperty('outcome')
})

test('an unknown outcome stores its next poll time at once, also when its repeat is paused', async () => {
  const order = fixture.transferInput(await fixture.createMerchant(1_000))
  const key = { uuid: order.uuid, connectionUuid: order.candidates[0]! }
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const shown = async () => {
    const [attempt] = await fixture.sql(
      'select state, code, unknown_since < now() and next_check_at > now() as told from attempt where subject_uuid = ?',
      [order.uuid],
    )
    return attempt
  }
  await fixture.providers.sendTransfer({ ...key, isResend: false, order })
  expect(await shown()).toEqual({ state: 'unknown', code: 'timeout', told: true })
  await fixture.sql('update attempt set next_check_at = null where subject_uuid = ?', [order.uuid])
  const { connectionUuid } = key
  await startPause(fixture.orm.em.fork(), {
    target: { connectionUuid },
    reach: 'money_out',
    actor: 'ana',
    reason: 'a drill',
  })
  await fixture.providers.sendTransfer({ ...key, isResend: true })
  expect(await shown()).toEqual({ state: 'unknown', code: 'paused', told: true })
})

test('a call that broke off is shown as unknown once its provider was polled without an answer', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid, pollCount: 1 }
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => {
      throw new Error('killed')
    },
    findTransfer: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer' }),
  })
  await expect(fixture.providers.sendTransfer({ ...key, isResend: false })).rejects.toThrow('killed')
  expect(await fixture.providers.pollTransfer(key)).toEqual({ kind: 'unknown', code: 'timeout' })
  expect(await fixture.sql('select state, code from attempt where subject_uuid = ?', [order.uuid])).toEqual([
    { state: 'unknown', code: 'interrupted' },
  ])
  const [shown] = await fixture.sql(
    'select unknown_since is not null and next_check_at > now() as told from attempt where subject_uuid = ?',
    [order.uuid],
  )
  expect(shown).toEqual({ told: true })
})

test('an accepted payout is not sent again, although its answer was lost and its provider no longer finds it', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await fixture.records.storeTransfer(order)
  let calls = 0
  fixture.scriptProvider({
    async sendTransfer() {
      calls += 1
      return { kind: 'accepted', payout: { ...settled, status: 'in_process' } }
    },
    findTransfer: async () => ({ kind: 'not_found' }),
  })
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'not_found' })
  for (const again of [true, false])
    expect(await fixture.providers.sendTransfer({ ...key, isResend: again })).toEqual({ kind: 'in_process' })
  expect(calls).toBe(1)
})

test('a settlement without its returns is stored as such, because a return may exist', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid, pollCount: 1 }
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'accepted', payout: { ...settled, status: 'in_process' } }),
    findTransfer: async () => ({ kind: 'found', payout: settled }),
  })
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  expect(await fixture.providers.pollTransfer(key)).toMatchObject({ kind: 'settled', returnsUnknown: true })

  const back = { id: 'D1', endToEnd: `D${'1'.repeat(31)}`, cents: 200, at: settled.at! }
  fixture.scriptProvider({
    findTransfer: async () => ({ kind: 'found', payout: { ...settled, returns: [back] } }),
  })
  expect(await fixture.providers.pollTransfer(key)).not.toHaveProperty('returnsUnknown')
  expect(await fixture.records.getTransfer(order.uuid)).toMatchObject({ state: 'partially_refunded' })
})

test.each([
  ['with too little balance', 100, undefined],
  ['with an unreachable provider', 1_000, 'unreachable'],
] as const)(
  'a scheduled transfer %s keeps waiting, holds nothing, and can still expire or be cancelled',
  async (_, cents, kind) => {
    const merchant = await fixture.createMerchant(cents)
    const { accountUuid, connectionUuid } = merchant
    if (kind)
      fixture.scriptProvider({
        sendTransfer: async () => ({ kind, code: 'dns_failed', message: 'nobody there' }),
      })
    for (const [event, state] of [
      ['cancelled', 'cancelled'],
      ['never_sent', 'expired'],
    ] as const) {
      const order = fixture.transferInput(merchant, { scheduledFor: tomorrow })
      await fixture.records.storeTransfer(order)
      for (let round = 0; round < 2; round++)
        await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })

      expect(await fixture.records.getTransfer(order.uuid)).toMatchObject({ state: 'created' })
      expect(await fixture.readBalances(accountUuid)).toEqual({ available: cents, outside: -cents })
      expect(await fixture.records.endScheduledTransfer({ uuid: order.uuid, event })).toMatchObject({ state })
    }
  },
)

test('a scheduled transfer that every provider refused finally is failed, and holds nothing', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { accountUuid, connectionUuid } = merchant
  const order = fixture.transferInput(merchant, { scheduledFor: tomorrow })
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => ({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'AM04',
      message: 'no funds at the central bank',
    }),
  })
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  expect(await fixture.records.getTransfer(order.uuid)).toMatchObject({ state: 'created' })
  expect(await fixture.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
  expect(await fixture.readBalances(accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})

test.each([
  ['cancelled', 'CANCELLED'],
  ['never_sent', 'EXPIRED'],
] as const)(
  'a transfer that settles although it was %s is paid: the ledger follows the money',
  async (event, before) => {
    const merchant = await fixture.createMerchant(1_000)
    const { accountUuid, connectionUuid } = merchant
    const order = fixture.transferInput(merchant, { scheduledFor: tomorrow })
    await fixture.records.storeTransfer(order)
    fixture.scriptProvider({
      sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }),
      findTransfer: async () => ({ kind: 'found', payout: settled }),
    })
    await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
    await fixture.records.endScheduledTransfer({ uuid: order.uuid, event })
    const asked = await fixture.providers.pollTransfer({ uuid: order.uuid, connectionUuid, pollCount: 1 })
    expect(asked).toMatchObject({ kind: 'settled', transfer: { state: 'paid' } })
    expect(await fixture.readBalances(accountUuid)).toEqual({ available: 500, outside: -500 })
    const bodies = await readEventBodies<{ status: string; late?: true }>(
      fixture.sql,
      `subject_uuid = ? and type = 'TRANSFER'`,
      [order.uuid],
    )
    expect(bodies.map(body => [body.status, body.late])).toEqual([
      [before, undefined],
      ['PAID', true],
    ])
    const gone = `select reason from movement where transfer_uuid = ? and status = 'SETTLED'`
    expect(await fixture.sql(gone, [order.uuid])).toEqual([{ reason: 'late_settlement' }])
  },
)

test('a transfer that settles although it was rejected shows no fee: its hold was released and no fee charged', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { accountUuid, connectionUuid } = merchant
  const none = { fixedCents: 0, hundredthsOfPercent: 0 }
  const fees = { charge: none, transfer: { ...none, fixedCents: 10 }, refund: none }
  await fixture.sql('update connection set fees = ? where uuid = ?', [JSON.stringify(fees), connectionUuid])
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid }
  await fixture.records.storeTransfer(order)
  const late = { ...settled, endToEnd: `E${'5'.repeat(31)}` }
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'accepted', payout: { ...late, status: 'in_process' } }),
  })
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  for (const sending of [{ ...late, status: 'rejected', code: 'AC03' } as const, late]) {
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: sending }) })
    await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
  }
  const bodies = await readEventBodies<{ status: string; fees: number }>(
    fixture.sql,
    `subject_uuid = ? and type = 'TRANSFER'`,
    [order.uuid],
  )
  expect(bodies.map(body => [body.status, body.fees])).toEqual([
    ['FAILED', 0.1],
    ['PAID', 0],
  ])
  expect(await fixture.readBalances(accountUuid)).toEqual({ available: 500, outside: -500 })
})

test('a transfer settled twice is followed, after a restore, at the provider of the first settlement', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid: first } = merchant
  const second = await fixture.createConnection(merchant)
  const em = fixture.orm.em.fork()
  await postOpeningBalance(em, await em.findOneOrFail(Connection, second), 1_000)
  const order = fixture.transferInput(merchant, { candidates: [first, second] })
  const { uuid } = order
  const end = (digit: string): ProviderPayout => ({
    ...settled,
    endToEnd: `E${digit.repeat(31)}`,
    returns: [],
  })
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'gone' }),
  })
  await fixture.providers.sendTransfer({ uuid, connectionUuid: first, isResend: false, order })
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'accepted', payout: { ...end('5'), status: 'in_process' } }),
    findTransfer: async () => ({ kind: 'found', payout: end('6') }),
  })
  await fixture.providers.sendTransfer({ uuid, connectionUuid: second, isResend: false })
  await fixture.providers.pollTransfer({ uuid, connectionUuid: first, pollCount: 0 })
  const states = 'select state from attempt where subject_uuid = ? order by position'
  expect(await fixture.sql(states, [uuid])).toEqual([{ state: 'duplicate' }, { state: 'accepted' }])

  const orderedAt = new Date().toISOString()
  const look = { uuid, candidates: [first, second], orderedAt, pollCount: 0, isFinalPoll: false }
  expect(await fixture.providers.lookUpTransfer(look)).toEqual({ kind: 'found', connectionUuid: second })
  expect(await fixture.sql(states, [uuid])).toEqual([{ state: 'duplicate' }, { state: 'accepted' }])
})

test('a settlement that a restored balance does not cover counts as settled in time', async () => {
  const merchant = await fixture.createMerchant(0)
  const { connectionUuid } = merchant
  const orderedAt = new Date().toISOString()
  const order = fixture.transferInput(merchant)
  const { uuid } = order
  await fixture.providers.rebuildOperation({ noun: 'transfer', order, restored: { orderedAt } })
  const sending = { ...settled, endToEnd: `E${'7'.repeat(31)}` }
  fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: sending }) })
  await fixture.providers.lookUpTransfer({
    uuid,
    candidates: order.candidates,
    orderedAt,
    pollCount: 0,
    isFinalPoll: false,
  })
  await fixture.providers.pollTransfer({ uuid, connectionUuid, pollCount: 0 })
  expect(await fixture.sql('select status, reason from movement where transfer_uuid = ?', [uuid])).toEqual([
    { status: 'SETTLED', reason: null },
  ])
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual({ shortfall: -500, outside: 500 })
})

/** The attempt as an operator sees it. */
async function readUnknownAttempt(uuid: string): Promise<{ attempt: string; sending: number }> {
  const sql = 'select uuid as attempt, sendings as sending from attempt where subject_uuid = ?'
  return (await fixture.sql<{ attempt: string; sending: number }>(sql, [uuid]))[0]!
}

test('a manual settlement of an attempt that its provider has just accepted is refused as too early, by command and signal', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'accepted', payout: { ...settled, status: 'in_process' } }),
  })
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  const word = {
    ...(await readUnknownAttempt(order.uuid)),
    as: 'rejected',
    reason: 'not on the statement',
  } as const
  expect(await fixture.records.manuallySettleTransfer({ ...key, signal: word })).toEqual({
    kind: 'in_process',
  })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 500, provisioned: 500 })

  await fixture.sql(`update attempt set updated_at = now() - interval '11 minutes' where subject_uuid = ?`, [
    order.uuid,
  ])
  expect(await fixture.records.manuallySettleTransfer({ ...key, signal: word })).toMatchObject({
    kind: 'rejected',
  })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
})

test('a manual settlement that the row cannot store changes nothing, and blocks nothing', async () => {
  const merchant = await fixture.createMerchant(2_000)
  const { connectionUuid } = merchant
  const acceptedPayout = { ...settled, endToEnd: `E${'3'.repeat(31)}` }
  const [first, second] = [fixture.transferInput(merchant), fixture.transferInput(merchant)]
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: acceptedPayout }) })
  await fixture.providers.sendTransfer({ uuid: first.uuid, connectionUuid, isResend: false, order: first })
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  await fixture.providers.sendTransfer({ uuid: second.uuid, connectionUuid, isResend: false, order: second })
  for (const endToEnd of [acceptedPayout.endToEnd, randomBytes(4_000).toString('hex')]) {
    const word = {
      ...(await readUnknownAttempt(second.uuid)),
      as: 'settled',
      endToEnd,
      reason: 'another line',
    } as const
    const settlement = await fixture.records.manuallySettleTransfer({
      uuid: second.uuid,
      connectionUuid,
      signal: word,
    })
    expect(settlement).toEqual({ kind: 'unknown', code: 'settlement_not_stored' })
  }
  expect(await fixture.records.getTransfer(second.uuid)).toMatchObject({ state: 'sending' })
  const right = { as: 'settled', endToEnd: `E${'4'.repeat(31)}`, reason: 'the right line' } as const
  const word = { ...(await readUnknownAttempt(second.uuid)), ...right }
  const settlement = await fixture.records.manuallySettleTransfer({
    uuid: second.uuid,
    connectionUuid,
    signal: word,
  })
  expect(settlement).toMatchObject({ kind: 'settled' })
})

const AT_ONCE = 10

test('two transfers that move between the same two providers in opposite directions do not deadlock', async () => {
  const merchant = await fixture.createMerchant(100_000)
  const { accountUuid } = merchant
  const other = await fixture.createConnection(merchant)
  await postOpeningBalance(
    fixture.orm.em.fork(),
    await fixture.orm.em.fork().findOneOrFail(Connection, other),
    100_000,
  )
  const ways = Array.from({ length: 60 }, (_, place) =>
    place % 2 === 0 ? [merchant.connectionUuid, other] : [other, merchant.connectionUuid],
  ) as [string, string][]
  const orders = ways.map(candidates => fixture.transferInput(merchant, { candidates }))
  /** As many concurrent calls as database connections: none waits for one of those. */
  const through = async (place: number) => {
    for (let first = 0; first < orders.length; first += AT_ONCE)
      await Promise.all(
        orders.slice(first, first + AT_ONCE).map((order, nth) => {
          const connectionUuid = ways[first + nth]![place]!
          return fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false, order })
        }),
      )
  }
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }),
  })
  await through(0)
  await through(1)
  for (const { uuid } of orders)
    expect(await fixture.records.failTransfer(uuid)).toMatchObject({ state: 'failed' })
  const held = `select sum(cents) as cents from balance where account_uuid = ? and bucket = 'provisioned'`
  expect(await fixture.sql(held, [accountUuid])).toEqual([{ cents: '0' }])
})

test('a settlement without its end-to-end id is stored each time with the earlier id if there is one', async () => {
  const merchant = await fixture.createMerchant(1_500)
  const { accountUuid, connectionUuid } = merchant
  const endToEnd = `E${'2'.repeat(31)}`
  for (const endToEndId of ['', '', endToEnd]) {
    const order = fixture.transferInput(merchant)
    const key = { uuid: order.uuid, connectionUuid }
    await fixture.records.storeTransfer(order)
    fixture.scriptProvider({
      sendTransfer: async () => ({
        kind: 'accepted',
        payout: { ...settled, status: 'in_process', endToEnd: endToEndId },
      }),
      findTransfer: async () => ({ kind: 'found', payout: { ...settled, endToEnd: '' } }),
    })
    await fixture.providers.sendTransfer({ ...key, isResend: false })
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'settled' })
  }
  const kept = await fixture.sql(
    `select end_to_end from movement where account_uuid = ? and type = 'EXTERNAL_TRANSFER' order by created_at, uuid`,
    [accountUuid],
  )
  expect(kept).toEqual([{ end_to_end: null }, { end_to_end: null }, { end_to_end: endToEnd }])
  expect(await fixture.readBalances(accountUuid)).toEqual({})
})

test.each([
  ['cancelled', (uuid: string) => fixture.records.endScheduledTransfer({ uuid, event: 'cancelled' })],
  ['failed', (uuid: string) => fixture.records.failTransfer(uuid)],
] as const)(
  'a transfer whose abandoned activity has started an attempt is not %s: the live attempt’s connection is returned',
  async (_, end) => {
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant, { scheduledFor: new Date().toISOString() })
    const sends = () =>
      fixture.providers.sendTransfer({
        uuid: order.uuid,
        connectionUuid: merchant.connectionUuid,
        isResend: false,
      })
    await fixture.records.storeTransfer(order)
    fixture.scriptProvider({
      sendTransfer: async () => ({ kind: 'unreachable', code: 'dns', message: 'nobody' }),
    })
    await sends()

    const called = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<SendPayoutOutcome>()
    fixture.scriptProvider({
      sendTransfer: () => {
        called.resolve()
        return answer.promise
      },
    })
    const late = sends()
    await called.promise
    expect(await end(order.uuid)).toMatchObject({
      state: 'sending',
      liveConnectionUuid: merchant.connectionUuid,
    })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ provisioned: order.valueCents })
    const sending = {
      status: 'settled',
      cents: order.valueCents,
      endToEnd: `E${randomUUID()}`,
      at: new Date().toISOString(),
      returns: [],
    }
    answer.resolve({ kind: 'accepted', payout: sending as never })
    await late
    const ended = await end(order.uuid)
    expect(ended).toMatchObject({ state: 'paid' })
    expect(ended).not.toHaveProperty('liveConnectionUuid')
  },
)
