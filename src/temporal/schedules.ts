import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { scaleWait } from '../domain/shared/intervals.ts'
import { readDeployment, type WorkerDeployment, type WorkerVersion } from './worker-version.ts'
import type { WorkflowClientContext } from './workflow-options.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A dispute holds money from its opening, so its list is read often where no notice comes; one round at a time. */
const DISPUTE_SWEEP_MS = 15_000
/** However far waits are divided: a round that follows the one before at once leaves no time for what it is about. */
const MIN_INTERVAL_MS = 2_000
/** A statement is compared again for two days, because some providers book late. */
const RECONCILIATION_HOURS = 48
/** Schedules of the queue that src/config.ts gives where none is named are called as they always were. */
const DEFAULT_TASK_QUEUE = 'trilho'

/**
 * Makes sure that the inbox is swept every minute and deliveries every five, that every statement, and every row that moves with its workflow, is compared every hour,
 * that tallies are folded and old events forgotten; the first worker makes the schedules, and every later one brings
 * them up to its own release and configuration.
 */
export async function upsertMaintenanceSchedules(
  client: Client,
  engine: WorkflowClientContext,
): Promise<void> {
  await upsertSchedule(client, engine, {
    id: 'notice-sweep',
    type: 'notificationSweepWorkflow',
    intervalMs: MINUTE_MS,
    args: [],
  })
  await upsertSchedule(client, engine, {
    id: 'tally',
    type: 'listCountersWorkflow',
    intervalMs: 2 * MINUTE_MS,
    args: [],
  })
  await upsertSchedule(client, engine, {
    id: 'med-sweep',
    type: 'disputeSweepWorkflow',
    intervalMs: DISPUTE_SWEEP_MS,
    args: [],
  })
  await upsertSchedule(client, engine, {
    id: 'reconciliation',
    type: 'reconciliationWorkflow',
    intervalMs: HOUR_MS,
    args: [{ hours: RECONCILIATION_HOURS }],
  })
  await upsertSchedule(client, engine, {
    id: 'workflow-sweep',
    type: 'workflowSweepWorkflow',
    intervalMs: HOUR_MS,
    args: [],
  })
  await upsertSchedule(client, engine, {
    id: 'delivery-sweep',
    type: 'deliverySweepWorkflow',
    intervalMs: 5 * MINUTE_MS,
    args: [],
  })
  await upsertSchedule(client, engine, {
    id: 'event-pruning',
    type: 'eventPruningWorkflow',
    // Events are kept for thirty days of any scale.
    intervalMs: 6 * HOUR_MS * engine.timeScale,
    args: [],
  })
}

type VersionWatch = {
  version: WorkerVersion | undefined
  /** Called with what Temporal says of the deployment, at every look of a versioned worker. */
  onRead: (deployment: WorkerDeployment) => void
  onError: (error: Error) => void
}

/** How often a versioned worker looks whether its version has become the current one. */
const VERSION_POLL_MS = 10_000

/**
 * Keeps the schedules those of the current version. An unversioned worker makes them at once. A versioned one makes them each time
 * that its version becomes the current one, so that a build that only ramps starts nothing that the current one lacks,
 * and a build that is moved back to restores its own. Resolves after the first look; returns a function that ends the looks.
 */
export async function followCurrentVersion(
  client: Client,
  engine: WorkflowClientContext,
  { version, onRead, onError }: VersionWatch,
): Promise<() => void> {
  if (!version) {
    await upsertMaintenanceSchedules(client, engine)
    return () => {}
  }
  let wasCurrent = false
  const look = async () => {
    const deployment = await readDeployment(client, version.deploymentName)
    onRead(deployment)
    const isCurrent = deployment.currentBuildId === version.buildId
    if (isCurrent && !wasCurrent) await upsertMaintenanceSchedules(client, engine)
    wasCurrent = isCurrent
  }
  await look()
  const looks = setInterval(() => look().catch(onError), VERSION_POLL_MS)
  return () => clearInterval(looks)
}

type MaintenanceSchedule = {
  id: string
  type: keyof typeof import('../workflows/index.ts')
  intervalMs: number
  args: unknown[]
}

async function upsertSchedule(
  client: Client,
  { taskQueue, timeScale }: WorkflowClientContext,
  { id, type, intervalMs: everyMs, args }: MaintenanceSchedule,
): Promise<void> {
  // Two installations in one namespace have each their own.
  const scheduleId = taskQueue === DEFAULT_TASK_QUEUE ? id : `${id}/${taskQueue}`
  const former =
    taskQueue === DEFAULT_TASK_QUEUE ? undefined : await findLegacySchedule(client, { id, taskQueue })
  const todays = {
    spec: { intervals: [{ every: Math.max(MIN_INTERVAL_MS, scaleWait(everyMs, timeScale)) }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: MINUTE_MS },
    action: {
      type: 'startWorkflow' as const,
      workflowType: type,
      workflowId: scheduleId,
      taskQueue,
      args,
    },
  }
  try {
    await client.schedule.create({ scheduleId, ...todays, ...(former && { state: former.state }) })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    // What an operator has paused stays so.
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...todays, state }))
  }
  if (former) await client.schedule.getHandle(id).delete().catch(ignoreScheduleNotFound)
}

/** What an earlier release, whose schedules were called alike on every queue, left of ours: two would do all twice. */
async function findLegacySchedule(
  client: Client,
  { id, taskQueue }: { id: string; taskQueue: string },
): Promise<ScheduleDescription | undefined> {
  const found = await client.schedule.getHandle(id).describe().catch(ignoreScheduleNotFound)
  return found?.action.taskQueue === taskQueue ? found : undefined
}

/** Nothing was left, or another worker that starts was quicker. */
function ignoreScheduleNotFound(error: unknown): undefined {
  if (!(error instanceof ScheduleNotFoundError)) throw error
}
