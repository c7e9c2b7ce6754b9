import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { attemptDelivery } from '../../../src/activities/webhooks/deliver.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { openTestOrm } from '../../support/orm.ts'
import { setUpEndpointSuite } from '../support/endpoint-suite.ts'

/** Attempts whose outcome PostgreSQL does not store, as their activity makes and Temporal repeats them. */

const MINUTE_MS = 60_000

const { getFixture, closeAfterTest, openEndpoint: endpoint } = setUpEndpointSuite()

/** PostgreSQL answers reads and takes no writes, as a standby does. */
async function openReadOnlyOrm() {
  const role = `reader_${randomUUID().replaceAll('-', '')}`
  await getFixture()
    .orm.em.fork()
    .execute(
      `create role ${role} login password 'a' in role pg_read_all_data;
     alter role ${role} set default_transaction_read_only = on`,
    )
  const url = Object.assign(new URL(getFixture().config.databaseUrl), { username: role, password: 'a' })
  const orm = await openTestOrm({ databaseUrl: url.href, poolSize: 2 })
  closeAfterTest(() => orm.close())
  return orm
}

/** Refuses what records an attempt, until the test has ended; the row of the delivery can be written. */
async function refuseRecords() {
  const alter = (change: string) =>
    getFixture().orm.em.fork().execute(`alter table delivery_attempt ${change}`)
  await alter('add constraint refuses check (number < 0) not valid')
  closeAfterTest(async () => void (await alter('drop constraint refuses')))
}

test('while PostgreSQL takes no writes, nothing is sent, however often the attempt is repeated', async () => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  const readOnly = attemptDelivery({ ...hook.dependencies, orm: await openReadOnlyOrm() })
  for (let repeat = 0; repeat < 3; repeat++)
    await expect(readOnly({ deliveryUuid: delivery })).rejects.toMatchObject({ code: '25006' })
  expect(hook.received).toEqual([])
  expect(await hook.deliver(delivery)).toEqual({ kind: 'closed', outcome: 'DELIVERED' })
  expect(hook.received).toHaveLength(1)
  expect(await hook.readDelivery(delivery)).toMatchObject({ attempt_count: 1 })
})

test('an attempt is claimed before it is sent, and stays due, so that another worker repeats it after a crash', async () => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  await hook.updateDelivery(delivery, `sweep_at = now(), next_attempt_at = now()`)
  const before = await hook.readDelivery(delivery)
  const claimed = Promise.withResolvers<Record<string, unknown>>()
  hook.scriptResponses({
    status: 200,
    meanwhile: async () => claimed.resolve(await hook.readDelivery(delivery)),
  })
  await hook.deliver(delivery)
  const { sweep_at, ...row } = await claimed.promise
  expect(row).toMatchObject({ status: 'PENDING', next_attempt_at: before.next_attempt_at })
  expect(Date.parse(String(sweep_at)) - Date.parse(String(before.sweep_at))).toBeGreaterThanOrEqual(
    5 * MINUTE_MS,
  )
})

test.each([
  ['a success', { status: 200 }, 0, 4_500, 5_500],
  ['a failure', { status: 500 }, 0, 4_500, 5_500],
  [
    'a failure with Retry-After',
    { status: 503, headers: { 'retry-after': '3600' } },
    0,
    3_600_000,
    3_600_000,
  ],
  ['the last failure', { status: 500 }, 9, 0.9 * 1_440 * MINUTE_MS, 1.1 * 1_440 * MINUTE_MS],
])(
  '%s that cannot be stored is repeated after a wait, as any failure',
  async (_, answer, attemptCount, leastMs, mostMs) => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await hook.updateDelivery(delivery, `attempt_count = ${attemptCount}`)
    await refuseRecords()
    hook.scriptResponses(answer)
    const result = await hook.deliver(delivery)
    expect(result).toEqual({ kind: 'again', waitMs: expect.any(Number) })
    const { waitMs } = result as { waitMs: number }
    expect(waitMs).toBeGreaterThanOrEqual(leastMs)
    expect(waitMs).toBeLessThanOrEqual(mostMs)
    expect(hook.received).toHaveLength(1)
    expect(await hook.readDelivery(delivery)).toMatchObject({
      status: 'PENDING',
      attempt_count: attemptCount,
    })
    expect(getFixture().lines.join('')).toContain('the outcome of a webhook delivery attempt is not stored')
  },
)

test('a first attempt that cannot be stored is not repeated at once either', async () => {
  const hook = await endpoint({ firstAttempts: { fastMs: 20_000, probeMs: 40_000 } })
  const delivery = await hook.createEvent()
  await refuseRecords()
  const { open } = await hook.deliverFirst([delivery])
  expect(open).toEqual([{ deliveryUuid: delivery, firstWaitMs: expect.any(Number) }])
  expect(open[0]!.firstWaitMs).toBeGreaterThanOrEqual(4_500)
})

test('a delivery that is ended while its attempt waits for a slot is not sent', async () => {
  const hook = await endpoint({ endpointLimits: { maxRequests: 1, maxWaitMs: 60_000 } })
  const [first, second] = [await hook.createEvent(), await hook.createEvent()]
  const answered = Promise.withResolvers<void>()
  hook.scriptResponses({ status: 200, meanwhile: () => answered.promise })
  const one = hook.deliver(first)
  await pollUntil(
    async () => hook.received.length,
    count => count === 1,
  )
  const waits = Promise.withResolvers<void>()
  const { acquireSlot } = hook.dependencies.webhooks
  const webhooks: typeof hook.dependencies.webhooks = {
    ...hook.dependencies.webhooks,
    acquireSlot(...input) {
      const slot = acquireSlot(...input)
      waits.resolve()
      return slot
    },
  }
  const two = attemptDelivery({ ...hook.dependencies, webhooks })({ deliveryUuid: second })
  await waits.promise
  await hook.updateDelivery(second, `status = 'CANCELLED'`)
  answered.resolve()
  expect(await one).toEqual({ kind: 'closed', outcome: 'DELIVERED' })
  expect(await two).toEqual({ kind: 'again', waitMs: 0 })
  expect(hook.received).toHaveLength(1)
  expect(await hook.deliver(second)).toEqual({ kind: 'closed', outcome: 'CANCELLED' })
})
