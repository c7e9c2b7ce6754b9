import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Violation } from '../chaos/final-state.ts'
import { findFailedReplays } from '../chaos/history-replay.ts'
import { findViolations } from '../chaos/invariants.ts'
import { clearAllFaults, type PendingWork, waitForQuiescence } from '../chaos/quiescence.ts'
import { readFinalState } from '../chaos/read-final-state.ts'
import { type DrillStack, openDrillStack } from './drill-stack.ts'
import type { Fault, InjectedFault } from './faults.ts'
import { ignoreErrors } from './ignore-errors.ts'
import { createLoad, type Load } from './load.ts'
import { createObserver } from './observer.ts'
import {
  findMissedTargets,
  type Limits,
  MAX_READ_MS,
  measureSlowness,
  type Observation,
  scaleTargets,
} from './verdict.ts'

export type DrillOptions = {
  faults: Fault[]
  /** How long a fault without a duration of its own lasts. */
  seconds: number
  /** How long the machine is measured without a fault; a minute by default. */
  undisturbedSeconds?: number
  /** Requests a second. */
  rate?: number
  timeScale?: number
  say?: (line: string) => void
  /** Ends the drill: its stack is stopped at once, and the run fails. */
  signal?: AbortSignal
  /** Called before the stack is stopped and its home removed. */
  beforeStop?: (folder: string) => Promise<void>
}
export type DrillRow = { name: string; observation: Observation; failures: string[] }
/** What a time without a fault looks like, by which the rows are judged. */
export type Undisturbed = Omit<Observation, 'isEffective'>
export type DrillResult = {
  undisturbed: Undisturbed
  rows: DrillRow[]
  violations: Violation[]
  pendingWork: PendingWork
}

const DEFAULT_RATE = 3
/** Waits of production, so that recovery takes as long as there. */
const TIME_SCALE = 1
const WARM_UP_MS = 4_000
const DEFAULT_UNDISTURBED_SECONDS = 60
/** After which a row is given up and the next one starts. */
const RECOVERY_LIMIT_MS = 120_000
const QUIESCENCE_LIMIT_MS = 420_000

/** Applies faults one after the other to a stack of its own under light load. */
export async function runDrill(options: DrillOptions): Promise<DrillResult> {
  const { timeScale = TIME_SCALE, signal, beforeStop } = options
  const stage = await openDrillStack(timeScale)
  try {
    signal?.throwIfAborted()
    const ended = signal && once(signal, 'abort').then(() => signal.throwIfAborted())
    const running = runFaults(stage, options)
    return await (ended ? Promise.race([running, ended as Promise<never>]) : running)
  } finally {
    await beforeStop?.(stage.stack.home.folder)
    await stage.close()
  }
}

async function runFaults(
  stage: DrillStack,
  {
    faults,
    seconds,
    undisturbedSeconds = DEFAULT_UNDISTURBED_SECONDS,
    rate = DEFAULT_RATE,
    say = () => {},
    signal,
    timeScale = TIME_SCALE,
  }: DrillOptions,
): Promise<DrillResult> {
  const load = createLoad(stage, rate)
  const undisturbed = await observeUndisturbed(stage, load, undisturbedSeconds)
  const limits = scaleTargets(measureSlowness(undisturbed))
  say(`limits on this machine: ${JSON.stringify(limits)}`)
  const rows: DrillRow[] = []
  for (const fault of faults) {
    signal?.throwIfAborted()
    const row = await runFault(stage, load, { fault, seconds, limits, say })
    signal?.throwIfAborted()
    rows.push(row)
    say(`${row.failures.length === 0 ? 'holds' : 'FAILS'} ${row.name} ${row.failures.join('; ')}`)
  }
  await load.awaitRounds()
  const { clients: site, participants: cast } = stage
  await clearAllFaults(site, cast)
  const clearSince = new Date()
  say('all faults are over; waiting until nothing is in progress')
  const unrest = await waitForQuiescence(site, {
    participants: cast,
    disputes: [],
    limitMs: QUIESCENCE_LIMIT_MS,
    timeScale,
    say,
    faultsClearedAt: clearSince,
  })
  const { failures: unreplayed } = await findFailedReplays(site, await site.workflowIds())
  const world = await readFinalState(site, {
    participants: cast,
    requests: load.asked,
    disputes: [],
    faultsClearedAt: clearSince,
    failedReplays: unreplayed,
  })
  return { undisturbed, rows, violations: findViolations(world), pendingWork: unrest }
}

/** Observes the stack under the load of the rows, without a fault. */
async function observeUndisturbed(stage: DrillStack, load: Load, seconds: number): Promise<Undisturbed> {
  const since = new Date()
  const loading = load.start('undisturbed')
  using observer = observe(stage)
  try {
    await sleep(WARM_UP_MS)
    await observer.start()
    await sleep(seconds * 1_000)
    const recoveryMs = await load.allServe('undisturbed', { limitMs: RECOVERY_LIMIT_MS, readMs: MAX_READ_MS })
    return {
      ...(await observer.stop()),
      recoveryMs,
      slowestTransferMs: await readSlowestTransferMs(stage, since),
    }
  } finally {
    loading.stop()
  }
}

function observe({ apiUrl, api, worker, stack, secondWorkerUrl, secondWorkerLog }: DrillStack) {
  return createObserver({
    apiUrl,
    instances: [apiUrl, stack.local.api_url, worker.url, secondWorkerUrl],
    logs: [api.process.logPath, worker.process.logPath, secondWorkerLog],
  })
}

async function readSlowestTransferMs({ clients }: DrillStack, since: Date): Promise<number> {
  const [slowest] = await clients.sql<{ ms: number }>(
    `select coalesce(max(extract(epoch from updated_at - created_at)) * 1000, 0)::float as ms
     from transfer where created_at >= ?`,
    [since],
  )
  return slowest!.ms
}

const NOT_INJECTED: InjectedFault = { isEffective: () => false, remove: async () => {} }

async function runFault(
  stage: DrillStack,
  load: Load,
  {
    fault,
    seconds,
    limits,
    say,
  }: { fault: Fault; seconds: number; limits: Limits; say: (line: string) => void },
): Promise<DrillRow> {
  const recovery = { limitMs: RECOVERY_LIMIT_MS, readMs: limits.readMs }
  await fault.prepare?.(stage)
  if (fault.prepare) await load.allServe(`${fault.name}-prepared`, recovery)
  const since = new Date()
  using observer = observe(stage)
  await observer.start()
  const loading = load.start(fault.name)
  await sleep(WARM_UP_MS)
  const injected = await fault.apply(stage).catch((error: Error) => {
    say(`${fault.name}: ${error.message}`)
    return NOT_INJECTED
  })
  let isRemoved = false
  const removeFault = async () => {
    if (isRemoved) return
    isRemoved = true
    await injected.remove()
  }
  let recoveryMs: number | null
  let isEffective: boolean
  try {
    const lasting = sleep(fault.lastsMs ?? seconds * 1_000)
    if (fault.expects.recoversDuringFault) {
      recoveryMs = await load.allServe(fault.name, recovery)
      await lasting
      isEffective = await injected.isEffective()
    } else {
      await lasting
      isEffective = await injected.isEffective()
      await removeFault()
      recoveryMs = await load.allServe(fault.name, recovery)
    }
  } catch (error) {
    await ignoreErrors(removeFault())
    throw error
  } finally {
    loading.stop()
  }
  await removeFault()
  const slowestTransferMs = await readSlowestTransferMs(stage, since)
  const seen = { ...(await observer.stop()), isEffective, recoveryMs, slowestTransferMs }
  await fault.cleanUp?.(stage)
  if (fault.cleanUp) await load.allServe(`${fault.name}-cleaned-up`, recovery)
  return { name: fault.name, observation: seen, failures: findMissedTargets(fault.expects, seen, limits) }
}
