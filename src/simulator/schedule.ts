import type { Logger } from 'pino'
import type { SimulatorStore } from './store.ts'

/** What is to be done later, kept in the store: a settlement, a return, a notice. Survives a restart. */
export type TaskSchedule = {
  /** Entries of one lane wait for each other when they are many; what moves money has none. */
  add(entry: { task: ScheduledTask; subject: unknown; afterMs: number; lane?: string }): void
  /** Says how a task is done. A task that answers with waits is tried again, else it is crossed out. */
  registerHandler(task: ScheduledTask, act: TaskHandler): void
  start(): void
  /** Stops taking entries; those under way end by themselves. */
  stop(): Promise<void>
}

type ScheduledTask = 'settle_sending' | 'settle_refund' | 'return_sending' | 'deliver_notice' | 'remove_order'
/** `again` asks for another try after so long; `tries` counts from 0. A synchronous act is crossed out with its effect. */
type TaskHandler = (subject: never, tries: number) => Promise<{ again: number } | undefined> | undefined

type ScheduleEntry = {
  id: number
  task: ScheduledTask
  subject: string
  lane: string
  dueAt: number
  tries: number
}

/** Of one lane at once, so that a receiver that hangs delays nobody else. */
const MAX_RUNNING_PER_LANE = 32
/** Entries begun before anything else gets its turn. */
const BATCH_SIZE = 64
const MAX_TIMER_MS = 60_000
/** A task that threw stays on the agenda: money is not forgotten because of a bug. */
const ERROR_RETRY_DELAY_MS = 5_000

export function createTaskSchedule({
  store,
  now,
  log,
}: {
  store: SimulatorStore
  now: () => Date
  log: Logger
}): TaskSchedule {
  const acts = new Map<ScheduledTask, TaskHandler>()
  const underWay = new Map<number, RunningTask>()
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let running = false

  const wakeBy = (dueAt: number) => {
    if (!running || dueAt >= wakesAt) return
    wakesAt = dueAt
    clearTimeout(timer)
    timer = setTimeout(take, Math.min(MAX_TIMER_MS, Math.max(0, dueAt - now().getTime())))
  }

  const take = () => {
    wakesAt = Number.POSITIVE_INFINITY
    const time = now().getTime()
    for (const [place, entry] of listRunnableEntries(store, { underWay, most: BATCH_SIZE + 1 }).entries()) {
      // The first that is left over tells when to look again: what is not due yet, or is more than a batch.
      if (entry.dueAt > time || place === BATCH_SIZE) return wakeBy(entry.dueAt)
      if (!listFullLanes(underWay).includes(entry.lane)) begin(entry)
    }
  }

  const begin = (entry: ScheduleEntry) => {
    try {
      const outcome = store.inTransaction(() => {
        const started = acts.get(entry.task)!(JSON.parse(entry.subject) as never, entry.tries)
        if (!started) deleteEntry(store, entry)
        return started
      })
      if (outcome) underWay.set(entry.id, { lane: entry.lane, finished: followed(entry, outcome) })
    } catch (error) {
      failed(entry, error)
    }
  }

  const followed = async (entry: ScheduleEntry, outcome: Promise<{ again: number } | undefined>) => {
    try {
      const verdict = await outcome
      if (verdict) putOff(entry, verdict.again)
      else deleteEntry(store, entry)
    } catch (error) {
      failed(entry, error)
    }
    const wasFull = listFullLanes(underWay).includes(entry.lane)
    underWay.delete(entry.id)
    if (wasFull) wakeBy(now().getTime())
  }

  const failed = (entry: ScheduleEntry, error: unknown) => {
    log.error({ err: error, task: entry.task, subject: entry.subject }, 'a task could not be done')
    putOff(entry, ERROR_RETRY_DELAY_MS)
  }

  const putOff = ({ id }: ScheduleEntry, forMs: number) => {
    const dueAt = now().getTime() + forMs
    store.run('UPDATE agenda SET tries = tries + 1, dueAt = ? WHERE id = ?', dueAt, id)
    wakeBy(dueAt)
  }

  return {
    add: ({ task, subject, afterMs, lane = '' }) => {
      const dueAt = now().getTime() + afterMs
      store.insert('agenda', { task, subject: JSON.stringify(subject), lane, dueAt })
      // The transaction this belongs to may still be open; the timer looks at the table after it.
      setImmediate(wakeBy, dueAt)
    },
    registerHandler: (task, act) => void acts.set(task, act),
    start: () => {
      running = true
      take()
    },
    stop: async () => {
      running = false
      clearTimeout(timer)
      await Promise.all([...underWay.values()].map(one => one.finished))
    },
  }
}

type RunningTask = { lane: string; finished: Promise<void> }

/** The next entries that may begin: not under way, and in no full lane. */
function listRunnableEntries(
  store: SimulatorStore,
  { underWay, most }: { underWay: ReadonlyMap<number, RunningTask>; most: number },
): ScheduleEntry[] {
  return store.all<ScheduleEntry>(
    `SELECT * FROM agenda
     WHERE id NOT IN (SELECT value FROM json_each(?)) AND lane NOT IN (SELECT value FROM json_each(?))
     ORDER BY dueAt, id LIMIT ?`,
    JSON.stringify([...underWay.keys()]),
    JSON.stringify(listFullLanes(underWay)),
    most,
  )
}

function listFullLanes(underWay: ReadonlyMap<number, RunningTask>): string[] {
  const inLane = new Map<string, number>()
  for (const { lane } of underWay.values()) inLane.set(lane, (inLane.get(lane) ?? 0) + 1)
  return [...inLane].filter(([, count]) => count >= MAX_RUNNING_PER_LANE).map(([lane]) => lane)
}

function deleteEntry(store: SimulatorStore, { id }: ScheduleEntry): void {
  store.run('DELETE FROM agenda WHERE id = ?', id)
}
