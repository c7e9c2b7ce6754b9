import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { replayMissedEvents, sweepDeliveries } from '../../../src/activities/webhooks/sweep-deliveries.ts'
import { deliveryRoutes, webhookRoutes } from '../../../src/api/webhooks/routes.ts'
import { listFailingWebhooks } from '../../../src/db/repositories/operator-lists.ts'
import { startEventReplay } from '../../../src/temporal/deliveries.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import type { ReplayEventsInput } from '../../../src/workflows/contracts/webhooks.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { type CertificateAuthority, createAuthority } from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openEndpointFixture } from '../support/endpoint-fixture.ts'

/** What the sweep does for endpoints with a backlog, and for the others. */

const PATH = '/api/v1/webhooks'
const HOUR_MS = 3_600_000

let fixture: ApiFixture
let ca: CertificateAuthority
/** The options of the workflows that the API has started. */
const started: { workflowId: string; workflowIdConflictPolicy?: string }[] = []
const client = {
  workflow: { start: async (_: string, options: (typeof started)[0]) => void started.push(options) },
}
beforeAll(async () => {
  ca = await createAuthority()
  fixture = await openApiFixture(
    [webhookRoutes({ ca: [ca.pem], handshakeTimeoutMs: 30_000 }), deliveryRoutes],
    {
      TRILHO_LOOPBACK_WEBHOOKS: 'true',
    },
    async () => client as unknown as Client,
  )
})
afterAll(() => fixture?.close())

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** An endpoint with so many deliveries. */
async function endpoint({ waiting = 0, sweepAt = `now() + interval '5 minutes'` } = {}) {
  const story = await openEndpointFixture({ world: fixture, ca })
  closing.push(story.close)
  await story.sql(
    `with happened as (
       insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
       select gen_random_uuid(), ?, 'PAYMENT', gen_random_uuid(), 1, ?, gen_random_uuid(), 'r', now()
       from generate_series(1, ?) returning uuid
     )
     insert into delivery (uuid, webhook_uuid, event_uuid, event_type, created_at, updated_at, sweep_at)
     select gen_random_uuid(), ?, uuid, 'PAYMENT', now(), now(), ${sweepAt} from happened`,
    [story.accountUuid, ANY_EVENT_BODY, waiting, story.uuid],
  )
  const token = await fixture.insertToken({ accountUuid: story.accountUuid })
  return {
    ...story,
    call: (method: string, body?: object, more = '') =>
      fixture.call(method, `${PATH}/${story.uuid}${more}`, { token, body }),
    async statuses() {
      const rows = await story.sql<{ status: string; n: number }>(
        'select status, count(*)::int as n from delivery where webhook_uuid = ? group by status',
        [story.uuid],
      )
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
    },
  }
}

const workflowIdOf = (delivery: string) => `webhook/${delivery}`

/** The workflows that were signalled, in order, a hook for each, and the inputs of those that were started. */
function createFakeTemporal(look = async () => {}) {
  const woken: string[] = []
  const orders: ReplayEventsInput[] = []
  const wake = async (workflowId: string) => {
    woken.push(workflowId)
    await look()
  }
  const client = async () => ({
    workflow: {
      signalWithStart: (_: string, { workflowId }: { workflowId: string }) => wake(workflowId),
      getHandle: (workflowId: string) => ({ signal: () => wake(workflowId) }),
      start: async (_: string, { args }: { args: [ReplayEventsInput] }) => void orders.push(...args),
    },
    withDeadline: (_: number, work: () => Promise<void>) => work(),
  })
  return {
    woken,
    orders,
    temporal: { client, taskQueue: 't', timeScale: 1 } as unknown as TemporalContext,
  }
}

/** Recovers from an hour ago or another moment on, and answers the signalled workflows. */
async function recovered(webhookUuid: string, since = new Date(Date.now() - HOUR_MS)) {
  const { woken, orders, temporal } = createFakeTemporal()
  await startEventReplay(temporal, { webhookUuid, since: since.toISOString() }, 1_000)
  const did = await replayMissedEvents({ orm: fixture.orm, temporal } as ActivityDependencies)(orders[0]!)
  return { ...did, woken }
}

const sweep = (temporal = createFakeTemporal().temporal) =>
  sweepDeliveries({ orm: fixture.orm, timeScale: 1, temporal } as ActivityDependencies)()

test('a sweep is started where a request has disabled or removed an endpoint, one per account at a time', async () => {
  const hook = await endpoint()
  started.length = 0
  for (let request = 0; request < 3; request++) await hook.call('PATCH', { status: 'DISABLED' })
  await hook.call('PATCH', { events: ['MED'] })
  const sweepOfAccount = {
    workflowId: `delivery-sweep/${hook.accountUuid}`,
    workflowIdConflictPolicy: 'USE_EXISTING',
  }
  expect(started).toMatchObject([sweepOfAccount])
  expect((await hook.call('DELETE')).status).toBe(200)
  expect(started).toMatchObject([sweepOfAccount, sweepOfAccount])
})

describe('an endpoint with more deliveries than one transaction ends', () => {
  test.each([
    ['disabled', 'PATCH', { status: 'DISABLED' }, 'FAILED'],
    ['removed', 'DELETE', undefined, 'CANCELLED'],
  ])('is %s at once, and the sweep ends the remaining deliveries', async (_, method, body, outcome) => {
    const hook = await endpoint({ waiting: 2_500 })
    expect((await hook.call(method, body)).status).toBe(200)
    expect(await hook.statuses()).toEqual({ PENDING: 1_500, [outcome]: 1_000 })
    const { woken, temporal } = createFakeTemporal()
    await sweep(temporal)
    expect(await hook.statuses()).toEqual({ [outcome]: 2_500 })
    expect(woken).toHaveLength(2_500)
  })

  test('answers 410, and the sweep ends the remaining deliveries', async () => {
    const hook = await endpoint({ waiting: 1_500 })
    hook.scriptResponses({ status: 410 })
    await hook.deliver(await hook.createEvent())
    expect((await hook.readEndpoint()).status).toBe('DISABLED')
    expect(await hook.statuses()).toEqual({ PENDING: 501, FAILED: 1_000 })
    await sweep()
    expect(await hook.statuses()).toEqual({ FAILED: 1_501 })
  })

  test('is enabled again before all deliveries have ended: the remaining ones continue', async () => {
    const hook = await endpoint({ waiting: 1_500 })
    await hook.call('PATCH', { status: 'DISABLED' })
    await hook.updateEndpoint(`status = 'ACTIVE', disabled_reason = null`)
    await sweep()
    expect(await hook.statuses()).toEqual({ PENDING: 500, FAILED: 1_000 })
  })
})

test('the pages of a cursor show every delivery of a recovered batch', async () => {
  const hook = await endpoint({ waiting: 5 })
  await hook.sql('delete from delivery where webhook_uuid = ?', [hook.uuid])
  await recovered(hook.uuid)
  const foundUuids = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await hook.call('GET', undefined, `/deliveries?per_page=2&cursor=${cursor}`)
    expect(status).toBe(200)
    for (const { uuid } of body.data) foundUuids.add(uuid)
    cursor = body.meta.next_cursor
  }
  expect(foundUuids.size).toBe(5)
})

describe('the backlog of one endpoint', () => {
  const LONG_DUE = `now() - interval '1 hour'`

  test('does not delay other endpoints: the sweep wakes a few deliveries of each', async () => {
    const [dead, well] = [await endpoint({ waiting: 1_000, sweepAt: LONG_DUE }), await endpoint()]
    const delivery = await well.createEvent()
    await well.updateDelivery(delivery, 'sweep_at = now()')
    const { woken, temporal } = createFakeTemporal()
    await sweep(temporal)
    expect(woken.indexOf(workflowIdOf(delivery))).toBeLessThan(200)
    expect(woken).toContain(workflowIdOf(delivery))
    expect(new Set(woken).size).toBe(1_001)
    expect(await dead.sql('select from delivery where sweep_at <= now()')).toEqual([])
  })

  test('does not delay another endpoint’s recovery', async () => {
    const [dead, well] = [await endpoint({ waiting: 300, sweepAt: LONG_DUE }), await endpoint()]
    const delivery = await well.createEvent()
    await well.updateDelivery(delivery, `status = 'FAILED', attempt_count = 10, sweep_at = null`)
    expect(await recovered(well.uuid)).toEqual({ recovered: 1, next: null, woken: [workflowIdOf(delivery)] })
    await sweep()
    expect(await dead.statuses()).toEqual({ PENDING: 300 })
  })
})

test('an operator recovers events that are older than their failed deliveries', async () => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  // A recovery created the delivery of an event that happened while the endpoint was disabled, and it failed.
  await hook.sql(
    `update event set created_at = now() - interval '2 days'
     where uuid = (select event_uuid from delivery where uuid = ?)`,
    [delivery],
  )
  await hook.updateDelivery(delivery, `status = 'FAILED'`)
  const failingWebhooks = (await listFailingWebhooks(fixture.orm.em.fork())) as {
    uuid: string
    since: string
  }[]
  const { since } = failingWebhooks.find(row => row.uuid === hook.uuid)!
  // The form of the page sends it to the millisecond.
  expect(await recovered(hook.uuid, new Date(since))).toMatchObject({ recovered: 1 })
})

test.each([
  ['is waited for at a failing endpoint is made at once', `next_attempt_at = now() + interval '1 hour'`, 1],
  ['is due is left alone', `next_attempt_at = now() + interval '20 seconds'`, 0],
])('recovery: a first attempt that %s', async (_, columns, recoveredCount) => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  await hook.updateDelivery(delivery, columns)
  expect(await recovered(hook.uuid)).toMatchObject({ recovered: recoveredCount })
  // A repetition finds it due.
  expect(await recovered(hook.uuid)).toMatchObject({ recovered: 0 })
  expect(await hook.deliver(delivery)).toMatchObject({ kind: recoveredCount === 1 ? 'closed' : 'again' })
})

test('events written by a machine whose clock is ahead are recovered too', async () => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  await hook.updateDelivery(delivery, `status = 'FAILED', attempt_count = 10, sweep_at = null`)
  await hook.sql(`update event set created_at = now() + interval '5 seconds' where account_uuid = ?`, [
    hook.accountUuid,
  ])
  expect(await recovered(hook.uuid)).toEqual({ recovered: 1, next: null, woken: [workflowIdOf(delivery)] })
})

test('a delivery’s own row change is not overwritten when its workflow is woken', async () => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  await hook.updateDelivery(delivery, 'sweep_at = now()')
  const { temporal } = createFakeTemporal(
    async () => void (await hook.updateDelivery(delivery, `sweep_at = now() + interval '1 day'`)),
  )
  await sweep(temporal)
  const { sweep_at } = await hook.readDelivery(delivery)
  expect(new Date(sweep_at as string).getTime()).toBeGreaterThan(Date.now() + HOUR_MS)
})
