import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { scaled } from '../domain/waits.ts'
import type { Engine } from './start.ts'
import { type Deployment, readDeployment, type WorkerVersion } from './worker-version.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A dispute holds money from its opening, so its list is read often where no notice comes; one round at a time. */
const MED_SWEEP_MS = 15_000
/** However far waits are divided: a round that follows the one before at once leaves no time for what it is about. */
const SHORTEST = 2_000
/** A statement is compared again for two days, because some providers book late. */
const RECONCILED_HOURS = 48
/** Schedules of the queue that src/config.ts gives where none is named are called as they always were. */
const DEFAULT_QUEUE = 'trilho'

/**
 * Makes sure that the inbox is swept every minute and deliveries every five, that every statement, and every row that moves with its workflow, is compared every hour,
 * that tallies are folded and old events forgotten; the first worker makes the schedules, and every later one brings
 * them up to its own release and configuration.
 */
export async function scheduleHousekeeping(client: Client, engine: Engine): Promise<void> {
  await schedule(client, engine, {
    id: 'notice-sweep',
    type: 'noticeSweepWorkflow',
    everyMs: MINUTE,
    args: [],
  })
  await schedule(client, engine, { id: 'tally', type: 'tallyWorkflow', everyMs: 2 * MINUTE, args: [] })
  await schedule(client, engine, {
    id: 'med-sweep',
    type: 'medSweepWorkflow',
    everyMs: MED_SWEEP_MS,
    args: [],
  })
  await schedule(client, engine, {
    id: 'reconciliation',
    type: 'reconciliationWorkflow',
    everyMs: HOUR,
    args: [{ hours: RECONCILED_HOURS }],
  })
  await schedule(client, engine, {
    id: 'workflow-sweep',
    type: 'workflowSweepWorkflow',
    everyMs: HOUR,
    args: [],
  })
  await schedule(client, engine, {
    id: 'delivery-sweep',
    type: 'deliverySweepWorkflow',
    everyMs: 5 * MINUTE,
    args: [],
  })
  await schedule(client, engine, {
    id: 'event-pruning',
    type: 'eventPruningWorkflow',
    // Events are kept for thirty days of any scale.
    everyMs: 6 * HOUR * engine.timeScale,
    args: [],
  })
}

type VersionWatch = {
  version: WorkerVersion | undefined
  /** Called with what Temporal says of the deployment, at every look of a versioned worker. */
  onRead: (deployment: Deployment) => void
  onError: (error: Error) => void
}

/** How often a versioned worker looks whether its version has become the current one. */
const VERSION_LOOK_MS = 10_000

/**
 * Keeps the schedules those of the current version. An unversioned worker makes them at once. A versioned one makes them each time
 * that its version becomes the current one, so that a build that only ramps starts nothing that the current one lacks,
 * and a build that is moved back to restores its own. Resolves after the first look; returns a function that ends the looks.
 */
export async function keepHousekeeping(
  client: Client,
  engine: Engine,
  { version, onRead, onError }: VersionWatch,
): Promise<() => void> {
  if (!version) {
    await scheduleHousekeeping(client, engine)
    return () => {}
  }
  let wasCurrent = false
  const look = async () => {
    const deployment = await readDeployment(client, version.deploymentName)
    onRead(deployment)
    const isCurrent = deployment.currentBuildId === version.buildId
    if (isCurrent && !wasCurrent) await scheduleHousekeeping(client, engine)
    wasCurrent = isCurrent
  }
  await look()
  const looks = setInterval(() => look().catch(onError), VERSION_LOOK_MS)
  return () => clearInterval(looks)
}

type Housework = {
  id: string
  type: keyof typeof import('../workflows/index.ts')
  everyMs: number
  args: unknown[]
}

async function schedule(
  client: Client,
  { taskQueue, timeScale }: Engine,
  { id, type, everyMs, args }: Housework,
): Promise<void> {
  // Two installations in one namespace have each their own.
  const scheduleId = taskQueue === DEFAULT_QUEUE ? id : `${id}/${taskQueue}`
  const former = taskQueue === DEFAULT_QUEUE ? undefined : await formerOf(client, { id, taskQueue })
  const todays = {
    spec: { intervals: [{ every: Math.max(SHORTEST, scaled(everyMs, timeScale)) }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: MINUTE },
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
  if (former) await client.schedule.getHandle(id).delete().catch(unlessGone)
}

/** What an earlier release, whose schedules were called alike on every queue, left of ours: two would do all twice. */
async function formerOf(
  client: Client,
  { id, taskQueue }: { id: string; taskQueue: string },
): Promise<ScheduleDescription | undefined> {
  const found = await client.schedule.getHandle(id).describe().catch(unlessGone)
  return found?.action.taskQueue === taskQueue ? found : undefined
}

/** Nothing was left, or another worker that starts was quicker. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ScheduleNotFoundError)) throw error
}
