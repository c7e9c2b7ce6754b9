import type { Logger } from 'pino'
import type { Store } from './store.ts'

/** What is to be done later, kept in the store: a settlement, a return, a notice. Survives a restart. */
export type Agenda = {
  /** Entries of one lane wait for each other when they are many; what moves money has none. */
  add(entry: { task: Task; subject: unknown; afterMs: number; lane?: string }): void
  /** Says how a task is done. A task that answers with waits is tried again, else it is crossed out. */
  does(task: Task, act: Act): void
  start(): void
  /** Stops taking entries; those under way end by themselves. */
  stop(): Promise<void>
}

type Task = 'settle_sending' | 'settle_refund' | 'return_sending' | 'deliver_notice'
/** `again` asks for another try after so long; `tries` counts from 0. A synchronous act is crossed out with its effect. */
type Act = (subject: never, tries: number) => Promise<{ again: number } | undefined> | undefined

type Entry = { id: number; task: Task; subject: string; lane: string; dueAt: number; tries: number }

/** Of one lane at once, so that a receiver that hangs delays nobody else. */
const AT_ONCE_IN_A_LANE = 32
/** Entries begun before anything else gets its turn. */
const BATCH = 64
const LONGEST_TIMER_MS = 60_000
/** A task that threw stays on the agenda: money is not forgotten because of a bug. */
const AFTER_A_BUG_MS = 5_000

export function agendaOf({ store, now, log }: { store: Store; now: () => Date; log: Logger }): Agenda {
  const acts = new Map<Task, Act>()
  const underWay = new Map<number, UnderWay>()
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let running = false

  const wakeBy = (dueAt: number) => {
    if (!running || dueAt >= wakesAt) return
    wakesAt = dueAt
    clearTimeout(timer)
    timer = setTimeout(take, Math.min(LONGEST_TIMER_MS, Math.max(0, dueAt - now().getTime())))
  }

  const take = () => {
    wakesAt = Number.POSITIVE_INFINITY
    const time = now().getTime()
    for (const [place, entry] of waitingIn(store, { underWay, most: BATCH + 1 }).entries()) {
      // The first that is left over tells when to look again: what is not due yet, or is more than a batch.
      if (entry.dueAt > time || place === BATCH) return wakeBy(entry.dueAt)
      if (!fullLanes(underWay).includes(entry.lane)) begin(entry)
    }
  }

  const begin = (entry: Entry) => {
    try {
      const outcome = store.atomically(() => {
        const started = acts.get(entry.task)!(JSON.parse(entry.subject) as never, entry.tries)
        if (!started) crossOut(store, entry)
        return started
      })
      if (outcome) underWay.set(entry.id, { lane: entry.lane, finished: followed(entry, outcome) })
    } catch (error) {
      failed(entry, error)
    }
  }

  const followed = async (entry: Entry, outcome: Promise<{ again: number } | undefined>) => {
    try {
      const verdict = await outcome
      if (verdict) putOff(entry, verdict.again)
      else crossOut(store, entry)
    } catch (error) {
      failed(entry, error)
    }
    const wasFull = fullLanes(underWay).includes(entry.lane)
    underWay.delete(entry.id)
    if (wasFull) wakeBy(now().getTime())
  }

  const failed = (entry: Entry, error: unknown) => {
    log.error({ err: error, task: entry.task, subject: entry.subject }, 'a task could not be done')
    putOff(entry, AFTER_A_BUG_MS)
  }

  const putOff = ({ id }: Entry, forMs: number) => {
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
    does: (task, act) => void acts.set(task, act),
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

type UnderWay = { lane: string; finished: Promise<void> }

/** The next entries that may begin: not under way, and in no full lane. */
function waitingIn(
  store: Store,
  { underWay, most }: { underWay: ReadonlyMap<number, UnderWay>; most: number },
): Entry[] {
  return store.all<Entry>(
    `SELECT * FROM agenda
     WHERE id NOT IN (SELECT value FROM json_each(?)) AND lane NOT IN (SELECT value FROM json_each(?))
     ORDER BY dueAt, id LIMIT ?`,
    JSON.stringify([...underWay.keys()]),
    JSON.stringify(fullLanes(underWay)),
    most,
  )
}

function fullLanes(underWay: ReadonlyMap<number, UnderWay>): string[] {
  const inLane = new Map<string, number>()
  for (const { lane } of underWay.values()) inLane.set(lane, (inLane.get(lane) ?? 0) + 1)
  return [...inLane].filter(([, count]) => count >= AT_ONCE_IN_A_LANE).map(([lane]) => lane)
}

function crossOut(store: Store, { id }: Entry): void {
  store.run('DELETE FROM agenda WHERE id = ?', id)
}
