import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bookOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { beginPause } from '../../../src/db/pauses.ts'
import type { Sending, SendOutcome } from '../../../src/domain/provider.ts'
import { openBooks } from '../support/books.ts'

/** What storms found in the lives of transfers, each as small as it can be told. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

const settled: Sending = { status: 'settled', endToEnd: `E${'1'.repeat(31)}`, at: '2026-11-21T12:00:00Z' }
const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

test('the event of a settled transfer shows its attempt as settled, whatever was in doubt before', async () => {
  const merchant = await books.merchant(1_000)
  const order = books.transferOrder(merchant)
  const { uuid } = order
  await books.records.storeTransfer(order)
  books.provider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
    findTransfer: async () => ({ kind: 'found', sending: settled }),
  })
  const { connectionUuid } = merchant
  await books.providers.sendTransfer({ uuid, connectionUuid, again: false })
  await books.providers.askTransfer({ uuid, connectionUuid, asked: 1 })

  const [event] = await books.sql<{ body: object }>(
    `select body from event where subject_uuid = ? and type = 'TRANSFER'`,
    [uuid],
  )
  expect(event?.body).toMatchObject({ status: 'PAID', attempts: [{ outcome: 'settled', code: '' }] })
  expect(event?.body).not.toHaveProperty('outcome')
})

test('an unknown outcome says at once when it is looked at next, also when its repeat is paused', async () => {
  const order = books.transferOrder(await books.merchant(1_000))
  const key = { uuid: order.uuid, connectionUuid: order.candidates[0]! }
  books.provider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const shown = async () => {
    const [attempt] = await books.sql(
      'select state, code, unknown_since < now() and next_check_at > now() as told from attempt where subject_uuid = ?',
      [order.uuid],
    )
    return attempt
  }
  await books.providers.sendTransfer({ ...key, again: false, order })
  expect(await shown()).toEqual({ state: 'unknown', code: 'timeout', told: true })
  await books.sql('update attempt set next_check_at = null where subject_uuid = ?', [order.uuid])
  const { connectionUuid } = key
  await beginPause(books.orm.em.fork(), {
    ...{ target: { connectionUuid }, reach: 'money_out', who: 'ana', reason: 'a drill' },
  })
  await books.providers.sendTransfer({ ...key, again: true })
  expect(await shown()).toEqual({ state: 'unknown', code: 'paused', told: true })
})

test('a call that broke off in the middle is shown as unknown once its provider was asked in vain', async () => {
  const merchant = await books.merchant(1_000)
  const order = books.transferOrder(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid, asked: 1 }
  await books.records.storeTransfer(order)
  books.provider({
    sendTransfer: async () => {
      throw new Error('killed')
    },
    findTransfer: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer' }),
  })
  await expect(books.providers.sendTransfer({ ...key, again: false })).rejects.toThrow('killed')
  expect(await books.providers.askTransfer(key)).toEqual({ kind: 'unknown', code: 'timeout' })
  expect(await books.sql('select state, code from attempt where subject_uuid = ?', [order.uuid])).toEqual([
    { state: 'unknown', code: 'interrupted' },
  ])
  const [shown] = await books.sql(
    'select unknown_since is not null and next_check_at > now() as told from attempt where subject_uuid = ?',
    [order.uuid],
  )
  expect(shown).toEqual({ told: true })
})

test('what its provider took is not sent again, though its answer was lost and its provider no longer finds it', async () => {
  const merchant = await books.merchant(1_000)
  const order = books.transferOrder(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await books.records.storeTransfer(order)
  let calls = 0
  books.provider({
    async sendTransfer() {
      calls += 1
      return { kind: 'accepted', sending: { ...settled, status: 'in_process' } }
    },
    findTransfer: async () => ({ kind: 'not_found' }),
  })
  await books.providers.sendTransfer({ ...key, again: false })
  expect(await books.providers.askTransfer({ ...key, asked: 1 })).toMatchObject({ kind: 'absent' })
  for (const again of [true, false])
    expect(await books.providers.sendTransfer({ ...key, again })).toEqual({ kind: 'in_process' })
  expect(calls).toBe(1)
})

test('a settlement without word of its returns says so, because a return may have come', async () => {
  const merchant = await books.merchant(1_000)
  const order = books.transferOrder(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid, asked: 1 }
  await books.records.storeTransfer(order)
  books.provider({
    sendTransfer: async () => ({ kind: 'accepted', sending: { ...settled, status: 'in_process' } }),
    findTransfer: async () => ({ kind: 'found', sending: settled }),
  })
  await books.providers.sendTransfer({ ...key, again: false })
  expect(await books.providers.askTransfer(key)).toMatchObject({ kind: 'settled', returnsUnsaid: true })

  const back = { id: 'D1', endToEnd: `D${'1'.repeat(31)}`, cents: 200, at: settled.at! }
  books.provider({
    findTransfer: async () => ({ kind: 'found', sending: { ...settled, returns: [back] } }),
  })
  expect(await books.providers.askTransfer(key)).not.toHaveProperty('returnsUnsaid')
  expect(await books.records.transferNow(order.uuid)).toMatchObject({ state: 'partially_refunded' })
})

test.each([
  ['whose balance is too little', 100, undefined],
  ['whose provider cannot be reached', 1_000, 'unreachable'],
] as const)(
  'a scheduled transfer %s waits on, holds nothing, and can still expire or be cancelled',
  async (_, cents, kind) => {
    const merchant = await books.merchant(cents)
    const { accountUuid, connectionUuid } = merchant
    if (kind)
      books.provider({ sendTransfer: async () => ({ kind, code: 'dns_failed', message: 'nobody there' }) })
    for (const [event, state] of [
      ['cancelled', 'cancelled'],
      ['never_sent', 'expired'],
    ] as const) {
      const order = books.transferOrder(merchant, { scheduledFor: tomorrow })
      await books.records.storeTransfer(order)
      for (let round = 0; round < 2; round++)
        await books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, again: false })

      expect(await books.records.transferNow(order.uuid)).toMatchObject({ state: 'created' })
      expect(await books.balances(accountUuid)).toEqual({ available: cents, outside: -cents })
      expect(await books.records.endWaiting({ uuid: order.uuid, event })).toMatchObject({ state })
    }
  },
)

test('a scheduled transfer that every provider refused for reasons of its own is failed, and holds nothing', async () => {
  const merchant = await books.merchant(1_000)
  const { accountUuid, connectionUuid } = merchant
  const order = books.transferOrder(merchant, { scheduledFor: tomorrow })
  await books.records.storeTransfer(order)
  books.provider({
    sendTransfer: async () => ({
      ...{ kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
      message: 'no funds at the central bank',
    }),
  })
  await books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, again: false })
  expect(await books.records.transferNow(order.uuid)).toMatchObject({ state: 'created' })
  expect(await books.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
  expect(await books.balances(accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})

test.each([
  ['cancelled', 'CANCELLED'],
  ['never_sent', 'EXPIRED'],
] as const)(
  'one that settles although it was %s is paid: the ledger follows the money',
  async (event, before) => {
    const merchant = await books.merchant(1_000)
    const { accountUuid, connectionUuid } = merchant
    const order = books.transferOrder(merchant, { scheduledFor: tomorrow })
    await books.records.storeTransfer(order)
    books.provider({
      sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }),
      findTransfer: async () => ({ kind: 'found', sending: settled }),
    })
    await books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, again: false })
    await books.records.endWaiting({ uuid: order.uuid, event })
    const asked = await books.providers.askTransfer({ uuid: order.uuid, connectionUuid, asked: 1 })
    expect(asked).toMatchObject({ kind: 'settled', transfer: { state: 'paid' } })
    expect(await books.balances(accountUuid)).toEqual({ available: 500, outside: -500 })
    const events = await books.sql<{ body: { status: string; late?: true } }>(
      `select body from event where subject_uuid = ? and type = 'TRANSFER' order by sequence`,
      [order.uuid],
    )
    expect(events.map(({ body }) => [body.status, body.late])).toEqual([
      [before, undefined],
      ['PAID', true],
    ])
    const gone = `select reason from movement where transfer_uuid = ? and status = 'SETTLED'`
    expect(await books.sql(gone, [order.uuid])).toEqual([{ reason: 'late_settlement' }])
  },
)

test('a transfer that settles although it was rejected shows no fee: its hold went back, and none was taken', async () => {
  const merchant = await books.merchant(1_000)
  const { accountUuid, connectionUuid } = merchant
  const none = { fixedCents: 0, hundredthsOfPercent: 0 }
  const fees = { charge: none, transfer: { ...none, fixedCents: 10 }, refund: none }
  await books.sql('update connection set fees = ? where uuid = ?', [JSON.stringify(fees), connectionUuid])
  const order = books.transferOrder(merchant)
  const key = { uuid: order.uuid, connectionUuid }
  await books.records.storeTransfer(order)
  const late = { ...settled, endToEnd: `E${'5'.repeat(31)}` }
  books.provider({
    sendTransfer: async () => ({ kind: 'accepted', sending: { ...late, status: 'in_process' } }),
  })
  await books.providers.sendTransfer({ ...key, again: false })
  for (const sending of [{ ...late, status: 'rejected', code: 'AC03' } as const, late]) {
    books.provider({ findTransfer: async () => ({ kind: 'found', sending }) })
    await books.providers.askTransfer({ ...key, asked: 1 })
  }
  const events = await books.sql<{ body: { status: string; fees: number } }>(
    `select body from event where subject_uuid = ? and type = 'TRANSFER' order by sequence`,
    [order.uuid],
  )
  expect(events.map(({ body }) => [body.status, body.fees])).toEqual([
    ['FAILED', 0.1],
    ['PAID', 0],
  ])
  expect(await books.balances(accountUuid)).toEqual({ available: 500, outside: -500 })
})

test('one that settled twice is followed, after a restore, where its own money is', async () => {
  const merchant = await books.merchant(1_000)
  const { connectionUuid: first } = merchant
  const second = await books.connection(merchant)
  const em = books.orm.em.fork()
  await bookOpeningBalance(em, await em.findOneOrFail(Connection, second), 1_000)
  const order = books.transferOrder(merchant, { candidates: [first, second] })
  const { uuid } = order
  const end = (digit: string): Sending => ({ ...settled, endToEnd: `E${digit.repeat(31)}`, returns: [] })
  books.provider({ sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'gone' }) })
  await books.providers.sendTransfer({ uuid, connectionUuid: first, again: false, order })
  books.provider({
    sendTransfer: async () => ({ kind: 'accepted', sending: { ...end('5'), status: 'in_process' } }),
    findTransfer: async () => ({ kind: 'found', sending: end('6') }),
  })
  await books.providers.sendTransfer({ uuid, connectionUuid: second, again: false })
  await books.providers.askTransfer({ uuid, connectionUuid: first, asked: 0 })
  const states = 'select state from attempt where subject_uuid = ? order by position'
  expect(await books.sql(states, [uuid])).toEqual([{ state: 'duplicate' }, { state: 'accepted' }])

  const look = { uuid, candidates: [first, second], asked: 0, lastLook: false }
  expect(await books.providers.seekTransfer(look)).toEqual({ kind: 'found', connectionUuid: second })
  expect(await books.sql(states, [uuid])).toEqual([{ state: 'duplicate' }, { state: 'accepted' }])
})

test('what a restored balance does not cover has settled in time, for all that is known', async () => {
  const merchant = await books.merchant(0)
  const { connectionUuid } = merchant
  const order = books.transferOrder(merchant, { restored: { orderedAt: new Date().toISOString() } })
  const { uuid } = order
  await books.records.storeTransfer(order)
  const sending = { ...settled, endToEnd: `E${'7'.repeat(31)}` }
  books.provider({ findTransfer: async () => ({ kind: 'found', sending }) })
  await books.providers.seekTransfer({ uuid, candidates: order.candidates, asked: 0, lastLook: false })
  await books.providers.askTransfer({ uuid, connectionUuid, asked: 0 })
  expect(await books.sql('select status, reason from movement where transfer_uuid = ?', [uuid])).toEqual([
    { status: 'SETTLED', reason: null },
  ])
  expect(await books.balances(merchant.accountUuid)).toEqual({ shortfall: -500, outside: 500 })
})

/** The attempt as an operator sees it. */
async function seen(uuid: string): Promise<{ attempt: string; sending: number }> {
  const sql = 'select uuid as attempt, sendings as sending from attempt where subject_uuid = ?'
  return (await books.sql<{ attempt: string; sending: number }>(sql, [uuid]))[0]!
}

test('the word of an operator about what its provider took a moment ago is too early, by whatever door it came', async () => {
  const merchant = await books.merchant(1_000)
  const order = books.transferOrder(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await books.records.storeTransfer(order)
  books.provider({
    sendTransfer: async () => ({ kind: 'accepted', sending: { ...settled, status: 'in_process' } }),
  })
  await books.providers.sendTransfer({ ...key, again: false })
  const word = { ...(await seen(order.uuid)), as: 'rejected', reason: 'not on the statement' } as const
  expect(await books.records.settleTransfer({ ...key, word })).toEqual({ kind: 'in_process' })
  expect(await books.balances(merchant.accountUuid)).toMatchObject({ available: 500, provisioned: 500 })

  await books.sql(`update attempt set updated_at = now() - interval '11 minutes' where subject_uuid = ?`, [
    order.uuid,
  ])
  expect(await books.records.settleTransfer({ ...key, word })).toMatchObject({ kind: 'rejected' })
  expect(await books.balances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
})

test('the word of an operator that its row cannot keep changes nothing, and keeps nobody waiting', async () => {
  const merchant = await books.merchant(2_000)
  const { connectionUuid } = merchant
  const taken = { ...settled, endToEnd: `E${'3'.repeat(31)}` }
  const [first, second] = [books.transferOrder(merchant), books.transferOrder(merchant)]
  books.provider({ sendTransfer: async () => ({ kind: 'accepted', sending: taken }) })
  await books.providers.sendTransfer({ uuid: first.uuid, connectionUuid, again: false, order: first })
  books.provider({ sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }) })
  await books.providers.sendTransfer({ uuid: second.uuid, connectionUuid, again: false, order: second })
  for (const endToEnd of [taken.endToEnd, randomBytes(4_000).toString('hex')]) {
    const word = { ...(await seen(second.uuid)), as: 'settled', endToEnd, reason: 'another line' } as const
    const heard = await books.records.settleTransfer({ uuid: second.uuid, connectionUuid, word })
    expect(heard).toEqual({ kind: 'unknown', code: 'word_not_kept' })
  }
  expect(await books.records.transferNow(second.uuid)).toMatchObject({ state: 'sending' })
  const right = { as: 'settled', endToEnd: `E${'4'.repeat(31)}`, reason: 'the right line' } as const
  const word = { ...(await seen(second.uuid)), ...right }
  const heard = await books.records.settleTransfer({ uuid: second.uuid, connectionUuid, word })
  expect(heard).toMatchObject({ kind: 'settled' })
})

const AT_ONCE = 10

test('transfers that leave two providers for each other do not wait for each other for ever', async () => {
  const merchant = await books.merchant(100_000)
  const { accountUuid } = merchant
  const other = await books.connection(merchant)
  await bookOpeningBalance(
    books.orm.em.fork(),
    await books.orm.em.fork().findOneOrFail(Connection, other),
    100_000,
  )
  const ways = Array.from({ length: 60 }, (_, place) =>
    place % 2 === 0 ? [merchant.connectionUuid, other] : [other, merchant.connectionUuid],
  ) as [string, string][]
  const orders = ways.map(candidates => books.transferOrder(merchant, { candidates }))
  /** As many at once as there are connections of the database: nobody waits for one of those. */
  const through = async (place: number) => {
    for (let first = 0; first < orders.length; first += AT_ONCE)
      await Promise.all(
        orders.slice(first, first + AT_ONCE).map((order, nth) => {
          const connectionUuid = ways[first + nth]![place]!
          return books.providers.sendTransfer({ uuid: order.uuid, connectionUuid, again: false, order })
        }),
      )
  }
  books.provider({
    sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }),
  })
  await through(0)
  await through(1)
  for (const { uuid } of orders)
    expect(await books.records.failTransfer(uuid)).toMatchObject({ state: 'failed' })
  const held = `select sum(cents) as cents from balance where account_uuid = ? and bucket = 'provisioned'`
  expect(await books.sql(held, [accountUuid])).toEqual([{ cents: '0' }])
})

test('what settles without its end-to-end id is kept each time, by the id that was told before if there is one', async () => {
  const merchant = await books.merchant(1_500)
  const { accountUuid, connectionUuid } = merchant
  const endToEnd = `E${'2'.repeat(31)}`
  for (const told of ['', '', endToEnd]) {
    const order = books.transferOrder(merchant)
    const key = { uuid: order.uuid, connectionUuid }
    await books.records.storeTransfer(order)
    books.provider({
      sendTransfer: async () => ({
        kind: 'accepted',
        sending: { ...settled, status: 'in_process', endToEnd: told },
      }),
      findTransfer: async () => ({ kind: 'found', sending: { ...settled, endToEnd: '' } }),
    })
    await books.providers.sendTransfer({ ...key, again: false })
    expect(await books.providers.askTransfer({ ...key, asked: 1 })).toMatchObject({ kind: 'settled' })
  }
  const kept = await books.sql(
    `select end_to_end from movement where account_uuid = ? and type = 'EXTERNAL_TRANSFER' order by created_at`,
    [accountUuid],
  )
  expect(kept).toEqual([{ end_to_end: null }, { end_to_end: null }, { end_to_end: endToEnd }])
  expect(await books.balances(accountUuid)).toEqual({})
})

test.each([
  ['cancelled', (uuid: string) => books.records.endWaiting({ uuid, event: 'cancelled' })],
  ['failed', (uuid: string) => books.records.failTransfer(uuid)],
] as const)(
  'a transfer whose given-up sending has begun after all is not %s: where it is live is answered',
  async (_, end) => {
    const merchant = await books.merchant(1_000)
    const order = books.transferOrder(merchant, { scheduledFor: new Date().toISOString() })
    const sends = () =>
      books.providers.sendTransfer({
        uuid: order.uuid,
        connectionUuid: merchant.connectionUuid,
        again: false,
      })
    await books.records.storeTransfer(order)
    books.provider({ sendTransfer: async () => ({ kind: 'unreachable', code: 'dns', message: 'nobody' }) })
    await sends()

    const called = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<SendOutcome>()
    books.provider({
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
    expect(await books.balances(merchant.accountUuid)).toMatchObject({ provisioned: order.valueCents })
    const sending = {
      status: 'settled',
      endToEnd: `E${randomUUID()}`,
      at: new Date().toISOString(),
      returns: [],
    }
    answer.resolve({ kind: 'accepted', sending: sending as never })
    await late
    const ended = await end(order.uuid)
    expect(ended).toMatchObject({ state: 'paid' })
    expect(ended).not.toHaveProperty('liveConnectionUuid')
  },
)
