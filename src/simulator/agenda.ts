import type { Logger } from 'pino'
import type { Store } from './store.ts'

/** What is to be done later, kept in the store: a settlement, a return, a notice. Survives a restart. */
export type Agenda = {
  add(entry: { task: Task; subject: unknown; afterMs: number }): void
  /** Says how a task is done. A task that answers with waits is tried again, else it is crossed out. */
  does(task: Task, act: Act): void
  start(): void
  /** Stops taking entries; those under way end by themselves. */
  stop(): Promise<void>
}

export type Task = 'settle_sending' | 'settle_refund' | 'return_sending' | 'deliver_notice'
/** `again` asks for another try after so long; `tries` counts from 0. A synchronous act is crossed out with its effect. */
export type Act = (subject: never, tries: number) => Promise<{ again: number } | undefined> | undefined

type Entry = { id: number; task: Task; subject: string; dueAt: number; tries: number }

/** Entries taken at once: enough for a storm of notices, few enough for the sockets of a small machine. */
const AT_ONCE = 64
const LONGEST_TIMER_MS = 60_000
/** A task that threw stays on the agenda: money is not forgotten because of a bug. */
const AFTER_A_BUG_MS = 5_000

export function agendaOf({ store, now, log }: { store: Store; now: () => Date; log: Logger }): Agenda {
  const acts = new Map<Task, Act>()
  const underWay = new Map<number, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let running = false

  const arm = () => {
    if (!running) return
    clearTimeout(timer)
    if (underWay.size >= AT_ONCE) return
    const next = nextOf()
    if (next) timer = setTimeout(take, Math.min(LONGEST_TIMER_MS, Math.max(0, next.dueAt - now().getTime())))
  }

  const nextOf = () =>
    store
      .all<Entry>('SELECT * FROM agenda ORDER BY dueAt, id LIMIT ?', AT_ONCE + 1)
      .find(entry => !underWay.has(entry.id))

  const take = () => {
    const due = store
      .all<Entry>(
        'SELECT * FROM agenda WHERE dueAt <= ? ORDER BY dueAt, id LIMIT ?',
        now().getTime(),
        AT_ONCE,
      )
      .filter(entry => !underWay.has(entry.id))
    for (const entry of due.slice(0, AT_ONCE - underWay.size)) begin(entry)
    arm()
  }

  const begin = (entry: Entry) => {
    try {
      const outcome = store.atomically(() => {
        const started = acts.get(entry.task)!(JSON.parse(entry.subject) as never, entry.tries)
        if (!started) crossOut(entry)
        return started
      })
      if (outcome) follow(entry, outcome)
    } catch (error) {
      log.error({ err: error, task: entry.task, subject: entry.subject }, 'a task could not be done')
      postpone(entry, AFTER_A_BUG_MS)
    }
  }

  const follow = (entry: Entry, outcome: Promise<{ again: number } | undefined>) => {
    const finished = outcome
      .then(verdict => (verdict ? postpone(entry, verdict.again) : crossOut(entry)))
      .catch(error => {
        log.error({ err: error, task: entry.task }, 'a task could not be done')
        postpone(entry, AFTER_A_BUG_MS)
      })
      .finally(() => {
        underWay.delete(entry.id)
        arm()
      })
    underWay.set(entry.id, finished)
  }

  const crossOut = (entry: Entry) => void store.run('DELETE FROM agenda WHERE id = ?', entry.id)
  const postpone = (entry: Entry, waitMs: number) =>
    void store.run(
      'UPDATE agenda SET tries = tries + 1, dueAt = ? WHERE id = ?',
      now().getTime() + waitMs,
      entry.id,
    )

  return {
    add: ({ task, subject, afterMs }) => {
      store.insert('agenda', {
        task,
        subject: JSON.stringify(subject),
        dueAt: now().getTime() + afterMs,
      })
      // The transaction this belongs to may still be open; the timer looks at the table after it.
      setImmediate(arm)
    },
    does: (task, act) => void acts.set(task, act),
    start: () => {
      running = true
      arm()
    },
    stop: async () => {
      running = false
      clearTimeout(timer)
      await Promise.all(underWay.values())
    },
  }
}
