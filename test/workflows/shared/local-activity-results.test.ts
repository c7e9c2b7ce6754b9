import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { activityInfo } from '@temporalio/activity'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker'
import { cancelChargeUpdate } from '../../../src/workflows/contracts/charges.ts'
import { providerNotificationSignal } from '../../../src/workflows/contracts/provider-notifications.ts'
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contracts/search-attributes.ts'
import { prepareReplay, replayFailures } from '../../support/history-replay.ts'
import { startTemporal } from '../../support/temporal.ts'
import { NOTIFICATION } from '../../support/workflow-story.ts'

/**
 * Updates that arrive while a local activity runs, which Temporal passes to the workflow with the next heartbeat of its task: the
 * development server does so, the time-skipping one does not.
 */

/** The worker sends a heartbeat of a workflow task when 80 % of this time have passed. */
const WORKFLOW_TASK_TIMEOUT = '1 second'
/** Local activities last this long, so that some end between the update's arrival and the next heartbeat. */
const LOCAL_ACTIVITY_MS = [900, 1_050, 1_200, 1_350, 1_500]

let bundle: WorkflowBundleOption
let server: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let workerConnection: NativeConnection
let worker: Worker
let run: Promise<void>
/** Workflows whose slow local activity has started. */
const waitingWorkflows = new Set<string>()

beforeAll(async () => {
  bundle = await prepareReplay()
  server = await startTemporal(Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => ({ name, type })))
  const { address } = server
  connection = await Connection.connect({ address })
  workerConnection = await NativeConnection.connect({ address })
  worker = await Worker.create({
    connection: workerConnection,
    taskQueue: 'trilho',
    workflowBundle: bundle,
    activities: {
      issueCharge: async () => ({
        state: 'pending',
        connectionUuid: NOTIFICATION.connectionUuid,
        expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
        orphans: [],
      }),
      pollCharge: async () => {
        if (scenario().slow === 'poll') await passTime()
        return { kind: 'known', state: 'paid', deliveries: [scenario().workflowId], returns: [] }
      },
      attemptFirstDeliveries: async ([deliveryUuid]: [string]) => {
        if (scenario().slow === 'delivery') await passTime()
        return { open: scenario().isOpen ? [{ deliveryUuid, firstWaitMs: 60_000 }] : [] }
      },
    },
  })
  run = worker.run()
})
afterAll(async () => {
  worker.shutdown()
  await run
  await Promise.all([workerConnection.close(), connection.close()])
  await server.stop()
})

/** The scenario of the workflow whose activity runs, from its id: `poll-open-900`. */
function scenario() {
  const { workflowId } = activityInfo().workflowExecution!
  const [slow, delivery, ms] = workflowId.split('-')
  return { workflowId, slow, isOpen: delivery === 'open', ms: Number(ms) }
}

async function passTime(): Promise<void> {
  const { workflowId, ms } = scenario()
  waitingWorkflows.add(workflowId)
  await sleep(ms)
}

test.each([
  ['poll', 'open'],
  ['poll', 'sent'],
  ['delivery', 'open'],
  ['delivery', 'sent'],
])('a charge cancelled during a slow %s replays, its delivery is %s', async (slow, delivery) => {
  const histories = await Promise.all(LOCAL_ACTIVITY_MS.map(ms => payAndCancel(`${slow}-${delivery}-${ms}`)))
  const failures: unknown[] = []
  for await (const failure of replayFailures(bundle, histories)) failures.push(failure)
  expect(failures).toEqual([])
})

/** A charge that is cancelled while a local activity of its payment runs; its history. */
async function payAndCancel(workflowId: string) {
  const { workflow } = new Client({ connection })
  const handle = await workflow.start('chargeWorkflow', {
    taskQueue: 'trilho',
    workflowId,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    args: [{ uuid: workflowId, valueCents: 100, timeScale: 1 }],
  })
  await handle.signal(providerNotificationSignal, NOTIFICATION)
  while (!waitingWorkflows.has(workflowId)) await sleep(5)
  // On a machine that stands still, the charge may end before the update arrives.
  await handle.executeUpdate(cancelChargeUpdate).catch(() => {})
  expect(await handle.result()).toBe('paid')
  return { workflowId, history: await handle.fetchHistory() }
}
