import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Client, Connection, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sweepDisputes } from '../../../src/activities/disputes/reconcile.ts'
import { databaseActivities } from '../../../src/activities/index.ts'
import { sweepProviderNotifications } from '../../../src/activities/provider-notifications/sweep.ts'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { sweepDeliveries } from '../../../src/activities/webhooks/sweep-deliveries.ts'
import { createApp } from '../../../src/api/app.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { findRunningWorkflows, isWorkflowRunning } from '../../../src/temporal/workflow-history.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { type ApiFixture, openApiFixture } from '../../http/support/api-fixture.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { startTemporal } from '../../support/temporal.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

describe('running workflows', () => {
  /** Temporal's own list of the workflows of a page of rows. */

  let server: Awaited<ReturnType<typeof startTemporal>>
  let connection: Connection
  let client: Client
  beforeAll(async () => {
    server = await startTemporal()
    connection = await Connection.connect({ address: server.address })
    client = new Client({ connection, namespace: server.namespace })
  })
  afterAll(async () => {
    await connection?.close()
    await server?.stop()
  })

  const startTransferWorkflow = async () => {
    const workflowId = `transfer/${randomUUID()}`
    await client.workflow.start('transferWorkflow', { workflowId, taskQueue: 'nobody', args: [] })
    return workflowId
  }

  test('the list holds workflows that run, and none that was terminated, deleted or never started', async () => {
    const [running, again, terminated, deleted] = [
      await startTransferWorkflow(),
      await startTransferWorkflow(),
      await startTransferWorkflow(),
      await startTransferWorkflow(),
    ]
    await client.workflow.getHandle(terminated).terminate('lost')
    const execution = { workflowId: deleted }
    await client.workflowService.deleteWorkflowExecution({
      namespace: server.namespace,
      workflowExecution: execution,
    })
    await client.workflow.getHandle(again).terminate('begun anew')
    await client.workflow.start('transferWorkflow', { workflowId: again, taskQueue: 'nobody', args: [] })
    const never = Array.from({ length: 96 }, () => `transfer/${randomUUID()}`)
    const asked = [running, again, terminated, deleted, ...never]
    // Temporal's list is late: a workflow that has ended stays in it for a while.
    const expected = [running, again].sort()
    const isListed = async () =>
      [...(await findRunningWorkflows(client, asked))].sort().join() === expected.join()
    for (const until = Date.now() + 120_000; Date.now() < until && !(await isListed()); )
      await new Promise(resume => setTimeout(resume, 100))
    expect([...(await findRunningWorkflows(client, asked))].sort()).toEqual(expected)
  })

  test('a workflow that has just been terminated is described as ended immediately', async () => {
    const [running, terminated] = [await startTransferWorkflow(), await startTransferWorkflow()]
    await client.workflow.getHandle(terminated).terminate('lost')
    expect(await isWorkflowRunning(client, terminated)).toBe(false)
    expect(await isWorkflowRunning(client, running)).toBe(true)
    expect(await isWorkflowRunning(client, `transfer/${randomUUID()}`)).toBe(false)
  })
})

describe('cancellation without worker', () => {
  /** A storm's finding: a worker that is killed between a cancel request and its answer. */

  let fixture: ApiFixture
  let server: RunningServer
  beforeAll(async () => {
    fixture = await openApiFixture([])
    const { dependencies, config } = fixture
    const temporal = { ...dependencies.temporal, client: async () => silent as unknown as Client }
    server = await startServer(createApp({ ...dependencies, temporal, routes: [transferRoutes] }), config)
  })
  afterAll(async () => {
    await server?.stop()
    await fixture?.close()
  })

  const silent = {
    withDeadline: (_: number, ask: () => unknown) => ask(),
    workflow: {
      getHandle: () => ({
        executeUpdate: async () => {
          throw new WorkflowUpdateRPCTimeoutOrCancelledError('Deadline exceeded')
        },
      }),
    },
  }

  test('a cancellation that no worker answers in time is 503 with an unknown outcome, and not an internal error', async () => {
    const accountUuid = await fixture.insertAccount()
    const connectionUuid = await fixture.insertConnection(accountUuid)
    const uuid = randomUUID()
    await databaseActivities(fixture.dependencies as unknown as ActivityDependencies).storeTransfer({
      uuid,
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 500,
      requestId: 'r',
      timeScale: 1,
      details: fixture.dependencies.sealer.seal({
        destination: keyDestination('fornecedor@exemplo.com.br'),
        fingerprint: 'f',
      }),
      scheduledFor: new Date(Date.now() + 86_400_000).toISOString(),
    })
    const answer = await fetch(`${server.url}/api/v1/transfers/${uuid}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await fixture.insertToken({ accountUuid })}` },
    })
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 503,
      body: { code: 'not_confirmed', data: { uuid } },
    })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('worker shutdown', () => {
  /** Activities that run for longer than a stopping worker waits: they end at its request, and the next worker continues. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  let merchant: Awaited<ReturnType<typeof fixture.createMerchant>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
    merchant = await fixture.createMerchant(0)
  })
  afterAll(() => fixture?.close())

  let worker: MockActivityEnvironment
  beforeEach(() => {
    worker = new MockActivityEnvironment()
  })
  const stops = () => worker.cancel('WORKER_SHUTDOWN')

  const startedWorkflowIds: string[] = []
  const workflow = {
    signalWithStart: async (_: string, { workflowId }: { workflowId: string }) =>
      startedWorkflowIds.push(workflowId),
    getHandle: (workflowId: string) => ({ signal: async () => startedWorkflowIds.push(workflowId) }),
  }
  const temporal = {
    client: async () => ({ workflow }),
    taskQueue: 't',
    timeScale: 1,
  } as unknown as TemporalContext

  const events = (count: number, age: string) =>
    fixture.sql<{ uuid: string }>(
      `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
     select gen_random_uuid(), ?, 'PAYMENT', gen_random_uuid(), 1, ?, gen_random_uuid(), 'r', now() - ?::interval
     from generate_series(1, ?) returning uuid`,
      [merchant.accountUuid, ANY_EVENT_BODY, age, count],
    )

  test('event pruning ends after the current batch when the worker shuts down', async () => {
    await events(1_200, '40 days')
    stops()
    expect(await worker.run(pruneEvents(fixture.dependencies))).toEqual({ deleted: 500 })
    expect(await pruneEvents(fixture.dependencies)()).toEqual({ deleted: 700 })
  })

  test('a delivery sweep wakes no further delivery when the worker shuts down', async () => {
    const [event] = await events(1, '1 minute')
    const webhook = randomUUID()
    await fixture.sql(
      `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, 'https://shop.test', '', '', '{PAYMENT}', '', now())`,
      [webhook, merchant.accountUuid],
    )
    await fixture.sql(
      `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, created_at, updated_at, sweep_at)
     values (gen_random_uuid(), ?, ?, 'PAYMENT', now(), now(), now())`,
      [webhook, event!.uuid],
    )
    const sweep = sweepDeliveries({ ...fixture.dependencies, temporal })
    stops()
    expect(await worker.run(sweep)).toMatchObject({ signalled: 0 })
    expect(await sweep()).toMatchObject({ signalled: 1 })
  })

  test('a notification sweep routes no further notification when the worker shuts down', async () => {
    await fixture.sql(
      `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, body, request_id, received_at)
     values (gen_random_uuid(), ?, 'payment', 'E1', ?, 'r', now() - interval '1 minute')`,
      [merchant.connectionUuid, '{}'],
    )
    const sweep = sweepProviderNotifications({ ...fixture.dependencies, temporal })
    startedWorkflowIds.length = 0
    stops()
    expect(await worker.run(sweep)).toEqual({ waiting: 1, routedCount: 0 })
    expect(startedWorkflowIds).toEqual([])
    await sweep()
    expect(startedWorkflowIds).toHaveLength(1)
  })

  test('a dispute sweep polls no further dispute when the worker shuts down', async () => {
    let asked = 0
    fixture.scriptProvider({
      async listDisputes() {
        asked += 1
        return { kind: 'found', disputes: [] }
      },
    })
    stops()
    await worker.run(sweepDisputes({ ...fixture.dependencies, temporal }))
    expect(asked).toBe(0)
  })

  test('a statement of many pages is left to the next run when the worker shuts down', async () => {
    const [{ uuid: providerAccountUuid }] = (await fixture.sql(
      'select provider_account_uuid as uuid from connection where uuid = ?',
      [merchant.connectionUuid],
    )) as [{ uuid: string }]
    fixture.scriptProvider({
      statement: () => {
        stops()
        return new Promise(() => {})
      },
    })
    const period = { from: new Date(0).toISOString(), to: new Date().toISOString() }
    const compared = worker.run(reconcile({ ...fixture.dependencies, temporal }), {
      providerAccountUuid,
      ...period,
    })
    await expect(compared).rejects.toThrow('WORKER_SHUTDOWN')
  })

  test.each(['issueCharge', 'lookUpTransfer'] as const)(
    '%s calls no further provider when the worker shuts down',
    async name => {
      let asked = 0
      const silent = async () => {
        asked += 1
        stops()
        return { kind: 'unreachable', code: 'timeout', message: 'no answer' } as never
      }
      fixture.scriptProvider({ issueCharge: silent, findTransfer: silent })
      const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
      const details = fixture.seal.seal({ splits: [], fingerprint: 'f' })
      const order = { ...fixture.transferInput(merchant), details, candidates, expiresInSeconds: 60 }
      const ask = fixture.providers[name] as (order: object) => Promise<unknown>
      await expect(worker.run(ask, { ...order, asked: 0, isFinalPoll: false })).rejects.toThrow(
        'WORKER_SHUTDOWN',
      )
      expect(asked).toBe(1)
    },
  )
})
