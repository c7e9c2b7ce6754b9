import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readJson } from '../../src/local/home.ts'
import { type Stack, startStack } from '../support/stack.ts'
import type { Answer } from './support/client.ts'
import { type MoneyOut, moneyOut, someKey, steps } from './support/money-out.ts'
import { type Merchant, openStage, type Stage } from './support/stage.ts'
import { together } from './support/together.ts'
import { until } from './support/until.ts'

/** Transfers that wait: for their time, for money or a provider, and for a worker that takes them. */

let stack: Stack
let stage: Stage
let out: MoneyOut
const merchants: Merchant[] = []
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE }) // A day is over in seconds here, and workers stop.
  stage = await openStage(stack.home)
  out = moneyOut(stage)
}, 120_000)
afterAll(async () => {
  await stage.close()
  expect(await stack.stop()).toBe(0)
}, 60_000)

/** 15 minutes pass in 90 ms, 24 hours in 8.64 s. */
const TIME_SCALE = 10_000
const DAY_MS = 86_400_000

async function aMerchant(...providers: Parameters<Stage['merchant']>): Promise<Merchant> {
  const [{ providers: wanted = [{ balance: 100 }] } = {}] = providers
  const merchant = await stage.merchant({ providers: wanted })
  merchants.push(merchant)
  return merchant
}

/** So much from now, written with an offset that is not UTC's. */
function inMs(ms: number, offsetHours = -3): string {
  const there = new Date(Date.now() + ms + offsetHours * 3_600_000).toISOString().slice(0, -1)
  return `${there}${offsetHours < 0 ? '-' : '+'}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`
}
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')
const balances = (merchant: Merchant) =>
  stage.balances(merchant.uuid, merchant.connection.providerAccountUuid)
const funds = (merchant: Merchant, value: number) =>
  stage.simulator.deposit({ account: merchant.connection.account, value })

together({
  'a transfer waits for its time, holds nothing till then, and is sent': async () => {
    const merchant = await aMerchant()
    const key = randomUUID()
    const scheduled_for = inMs(4_000)
    const body = { scheduled_for, pix_key: someKey() }
    const answer = await out.send(merchant, body, { key })
    expect(answer.status).toBe(201)
    const { data } = answer.body
    expect(data).toMatchObject({
      status: 'PENDING',
      scheduled_for: new Date(scheduled_for).toISOString().replace('Z', '000Z'),
      attempts: [],
      transfer: { status: 'PENDING', end_to_end: '', settled_at: null, initiation: { status: 'PENDING' } },
    })
    expect(steps(data)).toEqual(['PENDING'])
    expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
    expect((await merchant.api.get('/api/v1/transfers?status=PENDING')).body.data).toEqual([data])

    const paid = await out.becomes(merchant, data.uuid, 'PAID')
    const [, sent] = paid.history
    expect(Date.parse(sent.created_at)).toBeGreaterThanOrEqual(Date.parse(scheduled_for))
    expect(steps(paid)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
    expect(await out.paidOut(merchant)).toHaveLength(1)
    const again = await out.send(merchant, body, { key })
    expect([again.status, replayed(again), again.bytes.toString()]).toEqual([
      201,
      'true',
      answer.bytes.toString(),
    ])
    await stage.booksAgree(merchant)
  },

  'one that waits is cancelled once, and never sent': async () => {
    const merchant = await aMerchant()
    for (const scheduled_for of [inMs(3_000), inMs(90 * DAY_MS - 60_000, 9)]) {
      const { data } = (await out.send(merchant, { scheduled_for })).body
      const path = `/api/v1/transfers/${data.uuid}/cancel`
      const cancels = await Promise.all([merchant.api.post(path), merchant.api.post(path)])
      expect(cancels.some(({ status }) => status === 200)).toBe(true)
      const cancelled = await out.transfer(merchant, data.uuid)
      expect(cancelled).toMatchObject({
        status: 'CANCELLED',
        transfer: { status: 'FAILED', initiation: { status: 'CANCELLED' } },
        attempts: [],
      })
      expect(cancelled).not.toHaveProperty('error')
      expect(steps(cancelled)).toEqual(['PENDING', 'CANCELLED'])
      const late = await merchant.api.post(path)
      expect([late.status, late.body.code]).toEqual([409, 'transfer_not_cancellable'])
      expect(await out.events(cancelled, 'TRANSFER')).toEqual([{ ...cancelled, sequence: 1 }])
    }
    const sent = await out.paid(merchant, { scheduled_for: inMs(3_500) })
    expect(await out.paidOut(merchant)).toMatchObject([{ end_to_end: sent.transfer.end_to_end }])
    await stage.booksAgree(merchant)
  },

  'at its time a connection that is ACTIVE no more is passed over, and waited for where there is no other':
    async () => {
      const merchant = await aMerchant({
        providers: [{ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 }],
      })
      const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
      const stands = (status: string) =>
        stage.sql('update connection set status = ? where uuid = ?', [status, first.uuid])
      const scheduled_for = inMs(6_000)
      const [passed, waiting] = await Promise.all([
        out.send(merchant, { scheduled_for }),
        out.send(merchant, { scheduled_for, provider_uuid: first.uuid }),
      ])
      await stands('BLOCKED')
      const paid = await out.becomes(merchant, passed.body.data.uuid, 'PAID')
      expect(paid.provider.uuid).toBe(second.uuid)
      expect(paid.attempts).toMatchObject([
        { provider: 'PROVIDER_A', outcome: 'unreachable', code: 'provider_inactive' },
        { provider: 'PROVIDER_C', outcome: 'settled' },
      ])
      await until(
        () => out.attempts(waiting.body.data),
        ([attempt]) => attempt?.code === 'provider_inactive',
      )
      expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
      await stands('ACTIVE')
      const sent = await out.becomes(merchant, waiting.body.data.uuid, 'PAID')
      expect(sent.provider.uuid).toBe(first.uuid)
      expect(await out.paidOut(merchant)).toHaveLength(2)
      await stage.booksAgree(merchant)
    },

  'without money at its time it is tried again every quarter of an hour, until there is some': async () => {
    const merchant = await aMerchant({ providers: [{ balance: 9.99 }] })
    const { data } = (await out.send(merchant, { scheduled_for: inMs(2_000) })).body
    const [attempt] = await until(
      () => out.attempts(data),
      ([one]) => one?.code === 'insufficient_balance',
    )
    expect(attempt.state).toBe('rejected')
    expect(await balances(merchant)).toEqual({ available: 999, outside: -999 })
    await funds(merchant, 0.01)
    const paid = await out.becomes(merchant, data.uuid, 'PAID')
    expect(paid.attempts).toMatchObject([{ outcome: 'settled', code: '' }])
    expect(await out.paidOut(merchant)).toHaveLength(1)
    await stage.booksAgree(merchant)
  },

  'without a provider it waits on, and is cancelled while it does': async () => {
    const merchant = await aMerchant()
    const reachable = await out.cutOff(merchant.connection)
    const [kept, dropped] = await Promise.all(
      [1, 2].map(async value => (await out.send(merchant, { value, scheduled_for: inMs(2_000) })).body.data),
    )
    await until(
      () => out.attempts(dropped),
      ([one]) => one?.state === 'unreachable',
    )
    // Each try holds the money for as long as it takes, and no longer.
    await until(
      () => balances(merchant),
      ({ available }) => available === 10_000,
    )
    const cancel = () => merchant.api.post(`/api/v1/transfers/${dropped.uuid}/cancel`)
    await until(cancel, ({ status }) => status === 200)
    await reachable()
    await out.becomes(merchant, kept.uuid, 'PAID')
    expect((await out.transfer(merchant, dropped.uuid)).status).toBe('CANCELLED')
    expect(await out.paidOut(merchant)).toMatchObject([{ value: 1 }])
    await stage.booksAgree(merchant)
  },

  'a day without being sent is enough: EXPIRED; a final refusal is FAILED at once': async () => {
    const merchant = await aMerchant({ providers: [{ balance: 1 }] })
    const [poor, refused] = await Promise.all(
      [{}, { value: 1, pix_key: 'ac03@sim.trilho.test' }].map(
        async body => (await out.send(merchant, { ...body, scheduled_for: inMs(2_000) })).body.data,
      ),
    )
    const failed = await out.becomes(merchant, refused.uuid, 'FAILED')
    expect(failed.error).toMatchObject({ code: 'AC03', provider: 'PROVIDER_A' })
    expect((await out.transfer(merchant, poor.uuid)).status).not.toBe('EXPIRED')
    const expired = await out.becomes(merchant, poor.uuid, 'EXPIRED', 40_000)
    const waited = Date.parse(expired.history.at(-1).created_at) - Date.parse(expired.scheduled_for)
    expect(waited).toBeGreaterThanOrEqual(DAY_MS / TIME_SCALE)
    expect(expired).toMatchObject({ transfer: { initiation: { status: 'EXPIRED' } } })
    expect((await out.events(expired, 'TRANSFER')).map(({ status }) => status)).toEqual(['EXPIRED'])
    expect(await out.paidOut(merchant)).toEqual([])
    expect(await balances(merchant)).toEqual({ available: 100, outside: -100 })
    await stage.booksAgree(merchant)
  },

  'it never expires while its outcome is not known': async () => {
    const merchant = await aMerchant({ providers: [{ balance: 100, tells: false }] })
    await out.fault(merchant.connection, 'sendTransfer', 'timeout_then_done')
    await out.fault(merchant.connection, 'findTransfer', 'http_500', { times: 100_000 })
    const { data } = (await out.send(merchant, { scheduled_for: inMs(2_000) })).body
    await until(
      () => out.transfer(merchant, data.uuid),
      ({ outcome }) => outcome === 'unknown',
    )
    const dayIsOver = Date.parse(data.scheduled_for) + DAY_MS / TIME_SCALE + 2_000
    await until(
      () => Date.now(),
      now => now > dayIsOver,
      { limitMs: 30_000, everyMs: 250 },
    )
    expect(await out.transfer(merchant, data.uuid)).toMatchObject({
      status: 'PROCESSING',
      outcome: 'unknown',
    })
    await stage.simulator.clearFaults()
    await out.becomes(merchant, data.uuid, 'PAID')
    await stage.booksAgree(merchant)
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
  const merchant = merchants[0] ?? (await aMerchant())
  const { status, body } = await out.send(merchant, { scheduled_for: when() })
  expect([status, Object.keys(body.errors)]).toEqual([422, ['scheduled_for']])
})

test('no worker: 503 in time; without a key it never happens, with one it happens once', async () => {
  const merchant = await aMerchant()
  const charge = await out.paidCharge(merchant)
  const begun = await out.send(merchant, { value: 1 })
  await out.becomes(merchant, begun.body.data.uuid, 'PAID')
  const worker = (await readJson<{ worker: { pid: number } }>(stack.home.pids))!.worker.pid
  process.kill(worker, 'SIGSTOP')
  const keys = { transfer: randomUUID(), refund: randomUUID() }
  const body = { value: 2, pix_key: someKey() }
  const timed = async (asked: Promise<Answer>) => {
    const began = Date.now()
    const answer = await asked
    expect(Date.now() - began).toBeLessThan(9_500) // The next longer wait there is lasts ten seconds.
    expect([answer.status, answer.body.code]).toEqual([503, 'not_confirmed'])
    expect(answer.headers.has('retry-after')).toBe(true)
    expect(answer.body.data).toEqual({ uuid: expect.any(String) })
    return answer.body.data.uuid as string
  }
  let asked: string[]
  try {
    asked = await Promise.all([
      timed(out.send(merchant, { value: 3 })),
      timed(out.send(merchant, body, { key: keys.transfer })),
      timed(out.refund(merchant, charge, { value: 4 }, { key: keys.refund })),
    ])
    expect((await merchant.api.get(`/api/v1/transfers/${asked[0]}`)).status).toBe(404)
  } finally {
    process.kill(worker, 'SIGCONT')
  }
  const [keyless, keyed, refund] = asked as [string, string, string]

  const notTaken = await until(
    () => merchant.api.get(`/api/v1/transfers/${keyless}`),
    ({ status }) => status === 200,
    { limitMs: 30_000 },
  )
  expect(notTaken.body.data).toMatchObject({ status: 'FAILED', error: { code: 'not_taken', attempts: [] } })
  expect(steps(notTaken.body.data)).toEqual(['PENDING', 'FAILED'])
  // Repeated with its key, it is the same one.
  const again = await out.send(merchant, body, { key: keys.transfer })
  expect([again.status, again.body.data.uuid]).toEqual([201, keyed])
  await out.becomes(merchant, keyed, 'PAID')
  const refunded = await until(
    () => merchant.api.get(`/api/v1/payments/${charge.uuid}/refunds/${refund}`),
    ({ body }) => body.data?.refund.status === 'COMPLETED',
    { limitMs: 30_000 },
  )
  expect(refunded.body.data.status).toBe('PARTIALLY_REFUNDED')
  expect((await out.refund(merchant, charge, { value: 4 }, { key: keys.refund })).status).toBe(200)
  expect((await out.paidOut(merchant)).map(({ value }) => value).toSorted()).toEqual([1, 2, 4])
  await stage.booksAgree(merchant)
}, 90_000)

test('after a restart a key still answers, and money on its way arrives', async () => {
  const merchant = await aMerchant()
  const charge = await out.paidCharge(merchant)
  const keys = [randomUUID(), randomUUID(), randomUUID()] as const
  const body = { value: 1, pix_key: someKey() }
  const paid = await out.send(merchant, body, { key: keys[0] })
  await out.becomes(merchant, paid.body.data.uuid, 'PAID')
  const refunded = await out.refund(merchant, charge, { value: 2 }, { key: keys[1] })
  await out.fault(merchant.connection, 'sendTransfer', 'accepted_then_silent', { delay_ms: 4_000 })
  const running = await out.send(merchant, { ...body, value: 3 }, { key: keys[2] })
  // Due after the restart: what is due longer than a day, which is 8.64 s here, before anything can send it expires.
  const waiting = await out.send(merchant, { ...body, value: 4, scheduled_for: inMs(45_000) })
  const { data: waits } = waiting.body

  await stage.close()
  await stack.restart()
  stage = await openStage(stack.home)
  out = moneyOut(stage)
  const back = { ...merchant, api: stage.api.as(merchant.token) }

  const told = [
    await out.send(back, body, { key: keys[0] }),
    await out.refund(back, charge, { value: 2 }, { key: keys[1] }),
    await out.send(back, { ...body, value: 3 }, { key: keys[2] }),
  ]
  expect(told.map(({ status }) => status)).toEqual([201, 200, 201])
  expect(told.map(replayed)).toEqual(['true', 'true', 'true'])
  expect(told.map(answer => answer.bytes.toString())).toEqual(
    [paid, refunded, running].map(answer => answer.bytes.toString()),
  )
  await out.becomes(back, running.body.data.uuid, 'PAID', 40_000)
  await out.becomes(back, waits.uuid, 'PAID', 60_000)
  expect((await out.paidOut(back)).map(({ value }) => value).toSorted()).toEqual([1, 2, 3, 4])
  await stage.booksAgree(back)
}, 180_000)
