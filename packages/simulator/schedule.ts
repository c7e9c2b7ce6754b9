import type { Logger } from 'pino'
import type { SimulatorStore } from './store.ts'

/** Runs tasks at a later time: settlements, returns, notifications. Entries are stored and survive a restart. */
export type TaskSchedule = {
  /**
   * Adds an entry. At most MAX_RUNNING_PER_GROUP of one `concurrencyGroup` run at once; tasks that move money have
   * none.
   */
  add(entry: { task: ScheduledTask; input: unknown; afterMs: number; concurrencyGroup?: string }): void
  registerHandler(task: ScheduledTask, handler: TaskHandler): void
  start(): void
  /** Stops starting entries, and waits for the running ones. */
  stop(): Promise<void>
}

type ScheduledTask =
  | 'settle_transfer'
  | 'settle_refund'
  | 'carry_out_rejected_refund'
  | 'return_transfer'
  | 'deliver_notification'
  | 'remove_order'
  | 'send_scheduled_payment'
  | 'disapprove_payment'
  | 'deliver_consent_request'
  | 'answer_payment_instruction'
  | 'run_recurrence_day'
/** Result of a task that is to run again. */
export type TaskRetry = { retryAfterMs: number }
/**
 * Runs a task; `retries` counts from 0. The entry is deleted unless the result is a TaskRetry: after a synchronous
 * handler in the same transaction as its effect.
 */
type TaskHandler = (input: never, retries: number) => Promise<TaskRetry | undefined> | undefined

type ScheduleEntry = {
  id: number
  task: ScheduledTask
  input: string
  concurrencyGroup: string
  dueAt: number
  retries: number
}

/** Limit per group, so that a receiver that does not answer delays only its own notifications. */
const MAX_RUNNING_PER_GROUP = 32
/** Entries started in one turn of the event loop. */
const BATCH_SIZE = 64
const MAX_TIMER_MS = 60_000
/** Delay of a task that threw: it is repeated, so that a bug loses no settlement. */
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
  const handlers = new Map<ScheduledTask, TaskHandler>()
  const runningTasks = new Map<number, RunningTask>()
  let timer: NodeJS.Timeout | undefined
  let timerDueAt = Number.POSITIVE_INFINITY
  let isStarted = false

  /** Sets the timer anew even where it stays: the clock may have been set forward since. */
  const setTimer = (dueAt: number) => {
    if (!isStarted) return
    timerDueAt = Math.min(dueAt, timerDueAt)
    clearTimeout(timer)
    timer = setTimeout(runDueEntries, Math.min(MAX_TIMER_MS, Math.max(0, timerDueAt - now().getTime())))
  }

  const runDueEntries = () => {
    timerDueAt = Number.POSITIVE_INFINITY
    const time = now().getTime()
    const entries = listRunnableEntries(store, { runningTasks, limit: BATCH_SIZE + 1 })
    for (const [index, entry] of entries.entries()) {
      // The first entry that is not due, or exceeds the batch, sets the timer.
      if (entry.dueAt > time || index === BATCH_SIZE) return setTimer(entry.dueAt)
      if (!listFullGroups(runningTasks).includes(entry.concurrencyGroup)) startEntry(entry)
    }
  }

  const startEntry = (entry: ScheduleEntry) => {
    try {
      const result = store.inTransaction(() => {
        const pendingResult = handlers.get(entry.task)!(JSON.parse(entry.input) as never, entry.retries)
        if (!pendingResult) deleteEntry(store, entry)
        return pendingResult
      })
      if (result)
        runningTasks.set(entry.id, {
          concurrencyGroup: entry.concurrencyGroup,
          finished: finishEntry(entry, result),
        })
    } catch (error) {
      retryAfterError(entry, error)
    }
  }

  const finishEntry = async (entry: ScheduleEntry, result: Promise<TaskRetry | undefined>) => {
    try {
      const retry = await result
      if (retry) postpone(entry, retry.retryAfterMs)
      else deleteEntry(store, entry)
    } catch (error) {
      retryAfterError(entry, error)
    }
    const wasFull = listFullGroups(runningTasks).includes(entry.concurrencyGroup)
    runningTasks.delete(entry.id)
    if (wasFull) setTimer(now().getTime())
  }

  const retryAfterError = (entry: ScheduleEntry, error: unknown) => {
    log.error({ err: error, task: entry.task, input: entry.input }, 'a scheduled task failed')
    postpone(entry, ERROR_RETRY_DELAY_MS)
  }

  const postpone = ({ id }: ScheduleEntry, forMs: number) => {
    const dueAt = now().getTime() + forMs
    store.run('UPDATE scheduledTask SET retries = retries + 1, dueAt = ? WHERE id = ?', dueAt, id)
    setTimer(dueAt)
  }

  return {
    add: ({ task, input, afterMs, concurrencyGroup = '' }) => {
      const dueAt = now().getTime() + afterMs
      store.insert('scheduledTask', { task, input: JSON.stringify(input), concurrencyGroup, dueAt })
      // The caller's transaction may still be open, so the timer is set after it.
      setImmediate(setTimer, dueAt)
    },
    registerHandler: (task, handler) => void handlers.set(task, handler),
    start: () => {
      isStarted = true
      runDueEntries()
    },
    stop: async () => {
      isStarted = false
      clearTimeout(timer)
      await Promise.all([...runningTasks.values()].map(({ finished }) => finished))
    },
  }
}

type RunningTask = { concurrencyGroup: string; finished: Promise<void> }

/** Lists the next entries that are not running and whose group is not full, by due time. */
function listRunnableEntries(
  store: SimulatorStore,
  { runningTasks, limit }: { runningTasks: ReadonlyMap<number, RunningTask>; limit: number },
): ScheduleEntry[] {
  return store.all<ScheduleEntry>(
    `SELECT * FROM scheduledTask
     WHERE id NOT IN (SELECT value FROM json_each(?)) AND concurrencyGroup NOT IN (SELECT value FROM json_each(?))
     ORDER BY dueAt, id LIMIT ?`,
    JSON.stringify([...runningTasks.keys()]),
    JSON.stringify(listFullGroups(runningTasks)),
    limit,
  )
}

function listFullGroups(runningTasks: ReadonlyMap<number, RunningTask>): string[] {
  const counts = new Map<string, number>()
  for (const { concurrencyGroup } of runningTasks.values())
    counts.set(concurrencyGroup, (counts.get(concurrencyGroup) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= MAX_RUNNING_PER_GROUP)
    .map(([concurrencyGroup]) => concurrencyGroup)
}

function deleteEntry(store: SimulatorStore, { id }: ScheduleEntry): void {
  store.run('DELETE FROM scheduledTask WHERE id = ?', id)
}
