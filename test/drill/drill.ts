import { setTimeout as sleep } from 'node:timers/promises'
import { violationsOf } from '../chaos/invariants.ts'
import { clearSkies, quiescence, type Unrest } from '../chaos/quiescence.ts'
import { failedReplays } from '../chaos/replaying.ts'
import { witnessed } from '../chaos/witness.ts'
import type { Violation } from '../chaos/world.ts'
import type { Fault } from './faults.ts'
import { type Load, loadOf } from './load.ts'
import { observerOf } from './observer.ts'
import { openStage, type Stage } from './stage.ts'
import { failuresOf, type Observation } from './verdict.ts'

export type DrillOptions = {
  faults: Fault[]
  /** How long a fault lasts that says nothing of it. */
  seconds: number
  /** Requests a second. */
  rate?: number
  timeScale?: number
  say?: (line: string) => void
  /** Called before the stack is stopped and its home removed. */
  keep?: (folder: string) => Promise<void>
}
export type Row = { name: string; seen: Observation; failures: string[] }
export type Drill = { rows: Row[]; violations: Violation[]; unrest: Unrest }

const RATE = 3
/** Waits of production, so that recovery takes as long as there. */
const TIME_SCALE = 1
const WARM_MS = 4_000
/** After which a row is given up and the next one begins. */
const GIVE_UP_MS = 120_000
const REST_MS = 420_000

/** Plays faults one after the other against a stack of its own under light load. */
export async function drill({
  faults,
  seconds,
  rate = RATE,
  timeScale = TIME_SCALE,
  say = () => {},
  keep,
}: DrillOptions): Promise<Drill> {
  const stage = await openStage(timeScale)
  try {
    const load = loadOf(stage, rate)
    const rows: Row[] = []
    for (const fault of faults) {
      const row = await play(stage, load, fault, seconds)
      rows.push(row)
      say(`${row.failures.length === 0 ? 'holds' : 'FAILS'} ${row.name} ${row.failures.join('; ')}`)
    }
    await load.finished()
    const { site, cast } = stage
    await clearSkies(site, cast)
    const clearSince = new Date()
    say('all faults are over; waiting until nothing is in progress')
    const unrest = await quiescence(site, { cast, disputes: [], limitMs: REST_MS, say, clearSince })
    const { failures: unreplayed } = await failedReplays(site, await site.workflowIds())
    const world = await witnessed(site, { cast, asked: load.asked, disputes: [], clearSince, unreplayed })
    return { rows, violations: violationsOf(world), unrest }
  } finally {
    await keep?.(stage.stack.home.folder)
    await stage.close()
  }
}

async function play(stage: Stage, load: Load, fault: Fault, seconds: number): Promise<Row> {
  const { apiUrl, api, worker, site } = stage
  const since = new Date()
  const observer = observerOf({
    apiUrl,
    instances: [apiUrl, stage.stack.local.api_url],
    logs: [api.part.logPath, worker.part.logPath, stage.secondWorkerLog],
  })
  await observer.start()
  const loading = load.start(fault.name)
  await sleep(WARM_MS)
  const remove = await fault.apply(stage)
  let recoveryMs: number | null
  try {
    const lasting = sleep(fault.lastsMs ?? seconds * 1_000)
    if (fault.expects.recoversDuringFault) {
      recoveryMs = await load.allServe(fault.name, GIVE_UP_MS)
      await lasting
    } else {
      await lasting
      await remove()
      recoveryMs = await load.allServe(fault.name, GIVE_UP_MS)
    }
  } finally {
    loading.stop()
  }
  if (fault.expects.recoversDuringFault) await remove()
  const [slowest] = await site.sql<{ ms: number }>(
    `select coalesce(max(extract(epoch from updated_at - created_at)) * 1000, 0)::float as ms
     from transfer where created_at >= ?`,
    [since],
  )
  const seen = { ...(await observer.stop()), recoveryMs, slowestTransferMs: slowest!.ms }
  return { name: fault.name, seen, failures: failuresOf(fault.expects, seen) }
}
