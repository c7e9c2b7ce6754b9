import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client'
import { HOUR, MINUTE, scaleWait } from '../domain/shared/intervals.ts'
import {
  DELIVERY_SWEEP_WORKFLOW,
  DISPUTE_SWEEP_WORKFLOW,
  EVENT_PRUNING_WORKFLOW,
  LIST_COUNTERS_WORKFLOW,
  NOTIFICATION_SWEEP_WORKFLOW,
  RECONCILIATION_WORKFLOW,
  REPORT_SCHEDULE_WORKFLOW,
  WORKFLOW_SWEEP_WORKFLOW,
} from '../workflows/contracts/maintenance.ts'
import { readDeployment, type WorkerDeployment, type WorkerVersion } from './worker-version.ts'
import type { TemporalContext } from './workflow-options.ts'

/** A dispute blocks money from its opening, so lists are polled often without notifications. Rounds never overlap. */
const DISPUTE_SWEEP_MS = 15_000
/** Lower bound for any time scale: rounds that follow one another at once take the time of the work itself. */
const MIN_INTERVAL_MS = 4_000
/** Statements are compared again for two days, because some providers book late. */
const RECONCILIATION_HOURS = 48
/** Default task queue of src/config.ts; its schedules have ids without a suffix. */
const DEFAULT_TASK_QUEUE = 'trilho'

/**
 * Creates or updates the maintenance schedules: disputes listed every 15 s, notifications every minute,
 * deliveries every five, statements and active rows compared every hour, scheduled reports ordered, list counters folded, old rows deleted and closed months archived. The first worker creates them; every
 * later one updates them to its own release and configuration.
 */
export async function upsertMaintenanceSchedules(client: Client, temporal: TemporalContext): Promise<void> {
  const schedules: MaintenanceSchedule[] = [
    { id: 'notification-sweep', type: NOTIFICATION_SWEEP_WORKFLOW, intervalMs: MINUTE },
    { id: 'tally', type: LIST_COUNTERS_WORKFLOW, intervalMs: 2 * MINUTE },
    { id: 'med-sweep', type: DISPUTE_SWEEP_WORKFLOW, intervalMs: DISPUTE_SWEEP_MS },
    {
      id: 'reconciliation',
      type: RECONCILIATION_WORKFLOW,
      intervalMs: HOUR,
      args: [{ hours: RECONCILIATION_HOURS }],
    },
    { id: 'workflow-sweep', type: WORKFLOW_SWEEP_WORKFLOW, intervalMs: HOUR },
    { id: 'delivery-sweep', type: DELIVERY_SWEEP_WORKFLOW, intervalMs: 5 * MINUTE },
    // The hours of schedules, and the retention of events, are the same at any time scale.
    { id: 'report-schedules', type: REPORT_SCHEDULE_WORKFLOW, intervalMs: 5 * MINUTE * temporal.timeScale },
    { id: 'event-pruning', type: EVENT_PRUNING_WORKFLOW, intervalMs: 6 * HOUR * temporal.timeScale },
  ]
  for (const schedule of schedules) await upsertSchedule(client, temporal, schedule)
}

type VersionWatch = {
  version: WorkerVersion | undefined
  /** Called with Temporal's description of the deployment, at every poll of a versioned worker. */
  onRead: (deployment: WorkerDeployment) => void
  onError: (error: Error) => void
}

/** Interval at which a versioned worker checks whether its version is the current one. */
const VERSION_POLL_MS = 10_000

/**
 * Keeps the schedules those of the current version. An unversioned worker upserts them at once. A versioned one
 * upserts them each time its version becomes current, so that a ramping build starts no workflow that the current one
 * lacks, and a build that becomes current again restores its own. Resolves after the first poll; returns a function
 * that stops polling.
 */
export async function followCurrentVersion(
  client: Client,
  temporal: TemporalContext,
  { version, onRead, onError }: VersionWatch,
): Promise<() => void> {
  if (!version) {
    await upsertMaintenanceSchedules(client, temporal)
    return () => {}
  }
  let wasCurrent = false
  const poll = async () => {
    const deployment = await readDeployment(client, version.deploymentName)
    onRead(deployment)
    const isCurrent = deployment.currentBuildId === version.buildId
    if (isCurrent && !wasCurrent) await upsertMaintenanceSchedules(client, temporal)
    wasCurrent = isCurrent
  }
  await poll()
  const timer = setInterval(() => poll().catch(onError), VERSION_POLL_MS)
  return () => clearInterval(timer)
}

type MaintenanceSchedule = { id: string; type: string; intervalMs: number; args?: unknown[] }

async function upsertSchedule(
  client: Client,
  { taskQueue, timeScale }: TemporalContext,
  { id, type, intervalMs, args = [] }: MaintenanceSchedule,
): Promise<void> {
  // Each of several installations in one namespace has schedules of its own.
  const scheduleId = taskQueue === DEFAULT_TASK_QUEUE ? id : `${id}/${taskQueue}`
  const options = {
    spec: { intervals: [{ every: Math.max(MIN_INTERVAL_MS, scaleWait(intervalMs, timeScale)) }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: MINUTE },
    action: { type: 'startWorkflow' as const, workflowType: type, workflowId: scheduleId, taskQueue, args },
  }
  try {
    await client.schedule.create({ scheduleId, ...options })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    // A schedule that an operator has paused stays paused.
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...options, state }))
  }
}
