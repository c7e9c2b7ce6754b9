import { asyncLocalStorage } from '@temporalio/activity'

/**
 * A worker that stops waits for its activities only so long, and then tells them to end: one that does not would take it
 * down in the middle of all others. Outside of a worker nothing ends early.
 */

const getCancellationSignal = () => asyncLocalStorage.getStore()?.cancellationSignal

/** Of work whose next run goes on where it was left. */
export function isCancellationRequested(): boolean {
  return getCancellationSignal()?.aborted ?? false
}

/** The same of work that may last for so long. */
export function startTimeBudget(ms: number): () => boolean {
  const until = Date.now() + ms
  return () => Date.now() < until && !isCancellationRequested()
}

/** Of work that another worker does again from its beginning: it fails here, and is tried there. */
export function throwIfCancelled(): void {
  getCancellationSignal()?.throwIfAborted()
}

/** Waits for a look at far that may take minutes, or until it is to end; nobody hears what it comes to then. */
export function raceCancellation<T>(look: Promise<T>): Promise<T> {
  const context = asyncLocalStorage.getStore()
  return context ? Promise.race([look, context.cancelled]) : look
}
