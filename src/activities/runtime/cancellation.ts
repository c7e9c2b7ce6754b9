import { asyncLocalStorage } from '@temporalio/activity'

/**
 * Returns the cancellation signal of the current activity. A worker that shuts down waits for its activities for a
 * limited time and then cancels them; one that ignored this would delay the shutdown until the process is killed with
 * all others. Outside an activity there is no signal, and nothing is cancelled.
 */
export const getCancellationSignal = () => asyncLocalStorage.getStore()?.cancellationSignal

/** Tells whether the activity is to end now; for work that the next run continues. */
export function isCancellationRequested(): boolean {
  return getCancellationSignal()?.aborted ?? false
}

/** Starts a time budget; the returned function is true until `ms` have passed or the activity is cancelled. */
export function startTimeBudget(ms: number): () => boolean {
  const until = performance.now() + ms
  return () => performance.now() < until && !isCancellationRequested()
}

/** Throws if the activity is cancelled; for work that another worker repeats from its beginning. */
export function throwIfCancelled(): void {
  getCancellationSignal()?.throwIfAborted()
}

/** Waits for a long provider call, or rejects when the activity is cancelled; its result is then dropped. */
export function raceCancellation<T>(call: Promise<T>): Promise<T> {
  const context = asyncLocalStorage.getStore()
  return context ? Promise.race([call, context.cancelled]) : call
}
