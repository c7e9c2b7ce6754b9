import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { sweepWorkflows } from '../../../src/activities/disaster-recovery/workflow-sweep.ts'
import {
  databaseActivities,
  maintenanceActivities,
  providerActivities,
  webhookActivities,
} from '../../../src/activities/index.ts'
import { findLoopbackAddress, readTemporalSdkMetrics } from '../../../src/metrics/temporal-sdk-metrics.ts'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { providerNotificationSignal } from '../../../src/workflows/contracts/provider-notifications.ts'
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contracts/search-attributes.ts'
import { webhookTaskQueueOf } from '../../../src/workflows/contracts/webhooks.ts'
import { prepareReplay } from '../../support/history-replay.ts'
import { startTemporal } from '../../support/temporal.ts'
import { NOTIFICATION } from '../../support/workflow-story.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import {
  buildCaseDependencies,
  CASE_TIME_SCALE,
  createFailingCases,
  openBank,
} from '../support/failing-workflow-cases.ts'

/** Workflows whose history does not replay, and the hourly sweep that replaces them. */

const TASK_QUEUE = 'trilho'

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let server: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let workerConnection: NativeConnection
let client: Client
let today: WorkflowBundleOption
let metricsAddress: string

beforeAll(async () => {
  metricsAddress = await findLoopbackAddress()
  today = await prepareReplay(metricsAddress)
  fixture = await openActivityFixture()
  server = await startTemporal(Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => ({ name, type })))
  const { address } = server
  connection = await Connection.connect({ address })
  workerConnection = await NativeConnection.connect({ address })
  client = new Client({ connection })
})
afterAll(async () => {
  await workerConnection?.close()
  await connection?.close()
  await server?.stop()
  await fixture?.close()
})

/** Runs a worker of these workflows until something holds. */
async function runWorkerUntil(
  options: Pick<WorkerOptions, 'workflowBundle' | 'activities'>,
  holds: () => Promise<boolean>,
  description: () => string = () => 'the workflow tasks',
) {
  const worker = await Worker.create({ connection: workerConnection, taskQueue: TASK_QUEUE, ...options })
  await worker.runUntil(waitUntil(holds, { limitMs: 120_000, description }))
}

test('operations whose workflows do not replay end as ordered, wherever the process of the sweep ends, and the operator sees it', async () => {
  const bank = openBank()
  const cases = await createFailingCases(fixture, bank)
  const ids = cases.map(({ workflowId }) => workflowId)
  const workflowsPath = join(import.meta.dirname, '../../support/earlier-workflows.ts')
  for (const { workflowId, type, input } of cases)
    await client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] })
  const describe = (workflowId: string) => client.workflow.getHandle(workflowId).describe()
  const everyTask = (holds: (attempt: number) => boolean) => async () => {
    const described = await Promise.all(ids.map(describe))
    return described.every(({ raw }) => holds(raw.pendingWorkflowTask?.attempt ?? 0))
  }
  await runWorkerUntil(
    { workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }) },
    everyTask(attempt => attempt === 0),
  )
  for (const workflowId of ids)
    await client.workflow.getHandle(workflowId).signal(providerNotificationSignal, NOTIFICATION)
  await runWorkerUntil(
    { workflowBundle: today },
    everyTask(attempt => attempt > 1),
  )
  // deploy/alerts.yml tells them from other failed tasks by the reason.
  expect(await readTemporalSdkMetrics(metricsAddress)).toMatch(
    /^temporal_workflow_task_execution_failed\{[^}]*failure_reason="NonDeterminismError"/m,
  )
  const isListed = async () => {
    const { count } = await client.workflow.count(
      `ExecutionStatus = 'Running' AND TaskQueue = '${TASK_QUEUE}'`,
    )
    return count === cases.length
  }
  await waitUntil(isListed, { limitMs: 60_000, description: 'the list of workflows' })

  const temporalOf = (used: Client): TemporalContext => ({
    client: async () => used,
    taskQueue: TASK_QUEUE,
    timeScale: CASE_TIME_SCALE,
  })
  const sweep = (used: Client) => sweepWorkflows({ ...fixture.dependencies, temporal: temporalOf(used) })()
  // A PIX that no row holds, and a notification of a charge that has ended: nothing but their workflow has them.
  const lateCharge = cases.find(({ input }) => 'reopen' in input)!.workflowId
  const deposit = ids.find(id => id.startsWith('deposit/'))!
  await expect(sweep(endingProcess(deposit, 'before'))).rejects.toThrow(PROCESS_ENDED)
  await expect(sweep(endingProcess(lateCharge, 'after'))).rejects.toThrow(PROCESS_ENDED)
  for (const workflowId of [lateCharge, deposit])
    expect((await describe(workflowId)).status.name).toBe('RUNNING')
  await sweep(client)
  expect(await sweep(client)).toMatchObject({ replaced: 0, notReopened: 0 })

  bank.lookUps.length = 0
  const dependencies = {
    ...fixture.dependencies,
    ...buildCaseDependencies(bank),
    temporal: temporalOf(client),
  }
  const unfinished: unknown[] = []
  const areEnded = async () => {
    unfinished.length = 0
    for (const { workflowId, readState, ends } of cases) {
      const state = readState ? await readState() : (await describe(workflowId)).status.name
      if (state !== ends) unfinished.push({ workflowId, state, ends })
    }
    return unfinished.length === 0
  }
  const deliveryWorker = await Worker.create({
    connection: workerConnection,
    taskQueue: webhookTaskQueueOf(TASK_QUEUE),
    activities: webhookActivities(dependencies),
  })
  await deliveryWorker.runUntil(
    runWorkerUntil(
      {
        workflowBundle: today,
        activities: {
          ...providerActivities(dependencies),
          ...databaseActivities(dependencies),
          ...maintenanceActivities(dependencies),
        },
      },
      areEnded,
      () => JSON.stringify(unfinished),
    ),
  )
  // Nothing was ordered twice, and the charge of the late notification was polled.
  expect(bank.orders).toHaveLength(new Set(bank.orders).size)
  expect(bank.lookUps).toContain(lateCharge.split('/')[1]!.replaceAll('-', ''))
  expect(await fixture.sql('select sum(cents)::int as cents from balance')).toEqual([{ cents: 0 }])
  expect(await fixture.sql('select noun from lost_workflow where not is_reopened')).toEqual([])
  const acts = await fixture.sql<{ subject: string }>(
    `select distinct subject from operator_action where actor = 'trilho' and action = 'replace_workflow'`,
  )
  expect(acts.map(({ subject }) => subject).sort()).toEqual([...ids].sort())
})

const PROCESS_ENDED = 'the process of the sweep has ended'

/** A client whose process ends right before or after its call that continues a workflow. */
function endingProcess(workflowId: string, moment: 'before' | 'after'): Client {
  const endAt =
    (call: 'start' | 'signalWithStart') => async (type: string, options: { workflowId: string }) => {
      const isLast = options.workflowId === workflowId
      if (isLast && moment === 'before') throw new Error(PROCESS_ENDED)
      await client.workflow[call as 'start'](type, options as never)
      if (isLast) throw new Error(PROCESS_ENDED)
    }
  const workflow = Object.assign(Object.create(client.workflow), {
    start: endAt('start'),
    signalWithStart: endAt('signalWithStart'),
  })
  return Object.assign(Object.create(client), { workflow })
}
