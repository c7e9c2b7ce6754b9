import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { measureRunningTime } from '../../support/running-time.ts'
import { readRunningProcesses, type Stack, startStack } from '../../support/stack.ts'
import { type ApiResponse, repeatWhileUnconfirmed } from '../support/client.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import {
  createPayoutActions,
  type PayoutActions,
  randomPixKey,
  statusesOf,
} from '../support/payout-actions.ts'
import { POLL_LIMIT_MS, pollUntil } from '../support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../support/test-stack.ts'

/** Transfers that wait: for their time, for balance or a provider, and for a worker. */

let stack: Stack
let testStack: TestStack
let payouts: PayoutActions
const merchants: Merchant[] = []
/** How long this machine needs for a start. */
let startMs: number
beforeAll(async () => {
  const since = Date.now()
  stack = await startStack({ timeScale: TIME_SCALE }) // A day passes in seconds here, and workers stop.
  startMs = Date.now() - since
  testStack = await openTestStack(stack.home)
  payouts = createPayoutActions(testStack)
})
afterAll(async () => {
  await testStack.close()
  expect(await stack.stop()).toBe(0)
})

/** 15 minutes pass in 225 ms, 24 hours in 21.6 s. */
const TIME_SCALE = 4_000
const DAY_MS = 86_400_000
/** Soon, and after the request on a machine that stands still for some seconds. */
const DUE_MS = 12_000
/** Not before what a test does to a waiting transfer. */
const WAITING_MS = 30_000

async function createMerchant(...providers: Parameters<TestStack['createMerchant']>): Promise<Merchant> {
  const [{ providers: wanted = [{ balance: 100 }] } = {}] = providers
  const merchant = await testStack.createMerchant({ providers: wanted })
  merchants.push(merchant)
  return merchant
}

/** A time from now, written with an offset that is not UTC's. */
function inMs(ms: number, offsetHours = -3): string {
  const there = new Date(Date.now() + ms + offsetHours * 3_600_000).toISOString().slice(0, -1)
  return `${there}${offsetHours < 0 ? '-' : '+'}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`
}
const replayed = ({ headers }: ApiResponse) => headers.get('idempotent-replayed')
const balances = (merchant: Merchant) =>
  testStack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)
const funds = (merchant: Merchant, value: number) =>
  testStack.simulator.deposit({ account: merchant.connection.account, value })

runConcurrentTests({
  'a scheduled transfer waits for its time, holds nothing until then, and is sent': async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    const scheduled_for = inMs(WAITING_MS)
    const body = { scheduled_for, pix_key: randomPixKey() }
    const answer = await payouts.send(merchant, body, { key })
    expect(answer.status).toBe(201)
    const { data } = answer.body
    expect(data).toMatchObject({
      status: 'PENDING',
      scheduled_for: new Date(scheduled_for).toISOString().replace('Z', '000Z'),
      attempts: [],
      transfer: { status: 'PENDING', end_to_end: '', settled_at: null, initiation: { status: 'PENDING' } },
    })
    expect(statusesOf(data)).toEqual(['PENDING'])
    expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
    expect((await merchant.api.get('/api/v1/transfers?status=PENDING')).body.data).toEqual([data])

    const paid = await payouts.waitForStatus(merchant, data.uuid, 'PAID')
    const [, sent] = paid.history
    expect(Date.parse(sent.created_at)).toBeGreaterThanOrEqual(Date.parse(scheduled_for))
    expect(statusesOf(paid)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
    const again = await payouts.send(merchant, body, { key })
    expect([again.status, replayed(again), again.bytes.toString()]).toEqual([
      201,
      'true',
      answer.bytes.toString(),
    ])
    await testStack.waitUntilLedgerAgrees(merchant)
  },

  'a waiting transfer is cancelled once, and never sent': async () => {
    const merchant = await createMerchant()
    for (const scheduled_for of [inMs(WAITING_MS), inMs(90 * DAY_MS - 60_000, 9)]) {
      const { data } = (await payouts.send(merchant, { scheduled_for })).body
      const path = `/api/v1/transfers/${data.uuid}/cancel`
      const cancel = () => repeatWhileUnconfirmed(() => merchant.api.post(path))
      const cancels = await Promise.all([cancel(), cancel()])
      expect(cancels.some(({ status, repeats }) => status === 200 || repeats > 0)).toBe(true)
      const cancelled = await payouts.transfer(merchant, data.uuid)
      expect(cancelled).toMatchObject({
        status: 'CANCELLED',
        transfer: { status: 'FAILED', initiation: { status: 'CANCELLED' } },
        attempts: [],
      })
      expect(cancelled).not.toHaveProperty('error')
      expect(statusesOf(cancelled)).toEqual(['PENDING', 'CANCELLED'])
      const late = await merchant.api.post(path)
      expect([late.status, late.body.code]).toEqual([409, 'transfer_not_cancellable'])
      expect(await payouts.listEvents(cancelled, 'TRANSFER')).toEqual([{ ...cancelled, sequence: 1 }])
    }
    const sent = await payouts.sendAndSettle(merchant, { scheduled_for: inMs(WAITING_MS + 500) })
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ end_to_end: sent.transfer.end_to_end }])
    await testStack.waitUntilLedgerAgrees(merchant)
  },

  'at its time a connection that is not ACTIVE is passed over, or waited for where there is no other':
    async () => {
      const merchant = await createMerchant({
        providers: [{ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 }],
      })
      const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
      const setConnectionStatus = (status: string) =>
        testStack.sql('update connection set status = ? where uuid = ?', [status, first.uuid])
      const scheduled_for = inMs(WAITING_MS)
      const [passed, waiting] = await Promise.all([
        payouts.send(merchant, { scheduled_for }),
        payouts.send(merchant, { scheduled_for, provider_uuid: first.uuid }),
      ])
      await setConnectionStatus('BLOCKED')
      const paid = await payouts.waitForStatus(merchant, passed.body.data.uuid, 'PAID')
      expect(paid.provider.uuid).toBe(second.uuid)
      expect(paid.attempts).toMatchObject([
        { provider: 'PROVIDER_A', outcome: 'unreachable', code: 'provider_inactive' },
        { provider: 'PROVIDER_C', outcome: 'settled' },
      ])
      await pollUntil(
        () => payouts.listAttempts(waiting.body.data),
        ([attempt]) => attempt?.code === 'provider_inactive',
      )
      expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
      await setConnectionStatus('ACTIVE')
      const sent = await payouts.waitForStatus(merchant, waiting.body.data.uuid, 'PAID')
      expect(sent.provider.uuid).toBe(first.uuid)
      expect(await payouts.listPaidOut(merchant)).toHaveLength(2)
      await testStack.waitUntilLedgerAgrees(merchant)
    },

  'without balance at its time it is tried again every quarter of an hour until there is some': async () => {
    const merchant = await createMerchant({ providers: [{ balance: 9.99 }] })
    const { data } = (await payouts.send(merchant, { scheduled_for: inMs(DUE_MS) })).body
    const [attempt] = await pollUntil(
      () => payouts.listAttempts(data),
      ([one]) => one?.code === 'insufficient_balance',
    )
    expect(attempt.state).toBe('rejected')
    expect(await balances(merchant)).toEqual({ available: 999, outside: -999 })
    await funds(merchant, 0.01)
    const paid = await payouts.waitForStatus(merchant, data.uuid, 'PAID')
    expect(paid.attempts).toMatchObject([{ outcome: 'settled', code: '' }])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
    await testStack.waitUntilLedgerAgrees(merchant)
  },

  'without an available provider it keeps waiting, and can be cancelled': async () => {
    const merchant = await createMerchant()
    const reachable = await payouts.makeUnreachable(merchant.connection)
    const [kept, dropped] = await Promise.all(
      [1, 2].map(
        async value => (await payouts.send(merchant, { value, scheduled_for: inMs(DUE_MS) })).body.data,
      ),
    )
    await pollUntil(
      () => payouts.listAttempts(dropped),
      ([one]) => one?.state === 'unreachable',
    )
    // Each attempt holds the money only while it runs.
    await pollUntil(
      () => balances(merchant),
      ({ available }) => available === 10_000,
    )
    await merchant.api.carryOut('POST', `/api/v1/transfers/${dropped.uuid}/cancel`)
    await reachable()
    await payouts.waitForStatus(merchant, kept.uuid, 'PAID')
    expect((await payouts.transfer(merchant, dropped.uuid)).status).toBe('CANCELLED')
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ value: 1 }])
    await testStack.waitUntilLedgerAgrees(merchant)
  },

  'after a day without being sent it is EXPIRED; a final refusal is FAILED at once': async () => {
    const merchant = await createMerchant({ providers: [{ balance: 1 }] })
    const [poor, refused] = await Promise.all(
      [{}, { value: 1, pix_key: 'ac03@sim.trilho.test' }].map(
        async body => (await payouts.send(merchant, { ...body, scheduled_for: inMs(DUE_MS) })).body.data,
      ),
    )
    const failed = await payouts.waitForStatus(merchant, refused.uuid, 'FAILED')
    expect(failed.error).toMatchObject({ code: 'AC03', provider: 'PROVIDER_A' })
    expect((await payouts.transfer(merchant, poor.uuid)).status).not.toBe('EXPIRED')
    const expired = await payouts.waitForStatus(merchant, poor.uuid, 'EXPIRED')
    const waited = Date.parse(expired.history.at(-1).created_at) - Date.parse(expired.scheduled_for)
    expect(waited).toBeGreaterThanOrEqual(DAY_MS / TIME_SCALE)
    expect(expired).toMatchObject({ transfer: { initiation: { status: 'EXPIRED' } } })
    expect((await payouts.listEvents(expired, 'TRANSFER')).map(({ status }) => status)).toEqual(['EXPIRED'])
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    expect(await balances(merchant)).toEqual({ available: 100, outside: -100 })
    await testStack.waitUntilLedgerAgrees(merchant)
  },

  'it never expires while its outcome is unknown': async () => {
    const merchant = await createMerchant({ providers: [{ balance: 100, sendsNotifications: false }] })
    await payouts.injectFault(merchant.connection, 'sendTransfer', 'timeout_then_done')
    await payouts.injectFault(merchant.connection, 'findTransfer', 'http_500', { times: 100_000 })
    const { data } = (await payouts.send(merchant, { scheduled_for: inMs(DUE_MS) })).body
    await pollUntil(
      () => payouts.transfer(merchant, data.uuid),
      ({ outcome }) => outcome === 'unknown',
    )
    const dayIsOver = Date.parse(data.scheduled_for) + DAY_MS / TIME_SCALE + 2_000
    await pollUntil(
      () => Date.now(),
      now => now > dayIsOver,
      { everyMs: 250 },
    )
    expect(await payouts.transfer(merchant, data.uuid)).toMatchObject({
      status: 'PROCESSING',
      outcome: 'unknown',
    })
    await testStack.simulator.clearFaults()
    await payouts.waitForStatus(merchant, data.uuid, 'PAID')
    await testStack.waitUntilLedgerAgrees(merchant)
  },
})

test.each([
  ['the past', () => inMs(-1_000)],
  ['now', () => inMs(0)],
  ['91 days ahead', () => inMs(91 * DAY_MS)],
  ['a minute more than 90 days', () => inMs(90 * DAY_MS + 60_000)],
  ['no offset', () => inMs(60_000).slice(0, -6)],
  ['a day only', () => inMs(2 * DAY_MS).slice(0, 10)],
  ['a number', () => Date.now() + 60_000],
  ['no date of any calendar', () => '2027-02-30T12:00:00Z'],
])('scheduled for %s: 422', async (_, when) => {
  const merchant = merchants[0] ?? (await createMerchant())
  const { status, body } = await payouts.send(merchant, { scheduled_for: when() })
  expect([status, Object.keys(body.errors)]).toEqual([422, ['scheduled_for']])
})

test('without a worker the API answers 503 in time; without a key the transfer is never sent, with a key once', async () => {
  const merchant = await createMerchant()
  const charge = await payouts.createPaidCharge(merchant)
  const started = await payouts.send(merchant, { value: 1 })
  await payouts.waitForStatus(merchant, started.body.data.uuid, 'PAID')
  const worker = (await readRunningProcesses(stack.home)).worker!.pid
  process.kill(worker, 'SIGSTOP')
  const keys = { transfer: randomUUID(), refund: randomUUID() }
  const once = { api: merchant.api.sendingOnce() }
  const body = { value: 2, pix_key: randomPixKey() }
  const timed = async (asked: Promise<ApiResponse>) => {
    const { result: answer, elapsedMs } = await measureRunningTime(() => asked)
    expect(elapsedMs).toBeLessThan(9_500) // The next longer wait lasts ten seconds.
    expect([answer.status, answer.body.code]).toEqual([503, 'not_confirmed'])
    expect(answer.headers.has('retry-after')).toBe(true)
    return answer.body.data
  }
  let keyless: string
  let keyed: string
  let refund: string
  try {
    const asked = await Promise.all([
      timed(payouts.send(once, { value: 3 })),
      timed(payouts.send(once, body, { key: keys.transfer })),
      timed(payouts.requestRefund(once, charge, { value: 4 }, { key: keys.refund })),
    ])
    expect(asked).toEqual([
      { uuid: expect.any(String) },
      { uuid: expect.any(String) },
      { uuid: charge.uuid, refund: { uuid: expect.any(String) } },
    ])
    ;[keyless, keyed, refund] = [asked[0].uuid, asked[1].uuid, asked[2].refund.uuid]
    expect((await merchant.api.get(`/api/v1/transfers/${keyless}`)).status).toBe(404)
  } finally {
    process.kill(worker, 'SIGCONT')
  }

  const notAccepted = await pollUntil(
    () => merchant.api.get(`/api/v1/transfers/${keyless}`),
    ({ status }) => status === 200,
  )
  expect(notAccepted.body.data).toMatchObject({
    status: 'FAILED',
    error: { code: 'not_started', attempts: [] },
  })
  expect(statusesOf(notAccepted.body.data)).toEqual(['PENDING', 'FAILED'])
  // Repeated with its key, it is the same transfer.
  const again = await payouts.send(merchant, body, { key: keys.transfer })
  expect([again.status, again.body.data.uuid]).toEqual([201, keyed])
  await payouts.waitForStatus(merchant, keyed, 'PAID')
  const refunded = await pollUntil(
    () => merchant.api.get(`/api/v1/payments/${charge.uuid}/refunds/${refund}`),
    ({ body }) => body.data?.refund.status === 'COMPLETED',
  )
  expect(refunded.body.data.status).toBe('PARTIALLY_REFUNDED')
  expect((await payouts.requestRefund(merchant, charge, { value: 4 }, { key: keys.refund })).status).toBe(200)
  expect((await payouts.listPaidOut(merchant)).map(({ value }) => value).toSorted()).toEqual([1, 2, 4])
  await testStack.waitUntilLedgerAgrees(merchant)
})

test('after a restart a key is still answered, and a transfer in progress settles', async () => {
  const merchant = await createMerchant()
  const charge = await payouts.createPaidCharge(merchant)
  const keys = [randomUUID(), randomUUID(), randomUUID()] as const
  const body = { value: 1, pix_key: randomPixKey() }
  const paid = await payouts.send(merchant, body, { key: keys[0] })
  await payouts.waitForStatus(merchant, paid.body.data.uuid, 'PAID')
  const refunded = await payouts.requestRefund(merchant, charge, { value: 2 }, { key: keys[1] })
  await payouts.injectFault(merchant.connection, 'sendTransfer', 'accepted_then_silent', { delay_ms: 4_000 })
  const running = await payouts.send(merchant, { ...body, value: 3 }, { key: keys[2] })
  // Due after the restart: a transfer overdue by more than a day, 21.6 s here, expires before it is sent.
  const waiting = await payouts.send(merchant, {
    ...body,
    value: 4,
    scheduled_for: inMs(10_000 + 2 * startMs),
  })
  const { data: waits } = waiting.body

  await testStack.close()
  await stack.restart()
  testStack = await openTestStack(stack.home)
  payouts = createPayoutActions(testStack)
  const back = { ...merchant, api: testStack.api.withToken(merchant.token) }

  const responses = [
    await payouts.send(back, body, { key: keys[0] }),
    await payouts.requestRefund(back, charge, { value: 2 }, { key: keys[1] }),
    await payouts.send(back, { ...body, value: 3 }, { key: keys[2] }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([201, 200, 201])
  expect(responses.map(replayed)).toEqual(['true', 'true', 'true'])
  expect(responses.map(answer => answer.bytes.toString())).toEqual(
    [paid, refunded, running].map(answer => answer.bytes.toString()),
  )
  await payouts.waitForStatus(back, running.body.data.uuid, 'PAID')
  await payouts.waitForStatus(back, waits.uuid, 'PAID', POLL_LIMIT_MS + 2 * startMs)
  expect((await payouts.listPaidOut(back)).map(({ value }) => value).toSorted()).toEqual([1, 2, 3, 4])
  await testStack.waitUntilLedgerAgrees(back)
})
