import { aborted } from 'node:util'

/** Every wait of a local start and stop, with its reason; in milliseconds. */
export const WAIT_LIMITS = {
  /** Checks whether a download server can be reached, with a short timeout for a machine without a network. */
  reachableMs: 3_000,
  /** About 50 MB. */
  downloadMs: 300_000,
  /** Ten times what two cores need, cold. */
  buildMs: 3_000_000,
  /** A line says how far a long step is. */
  progressMs: 5_000,
  /** Crash recovery of a database included. */
  postgresMs: 60_000,
  /** Makes keys and certificates at the first start. */
  simulatorMs: 60_000,
  /** An API or a worker connects to everything before it is ready; a worker bundles the workflows first. */
  readyMs: 120_000,
  /** One call of the above. */
  readyzMs: 5_000,
  /** A start that is still going down lets go of its home within this. */
  previousRunMs: 60_000,
  /** A restart by hand: the previous start is still stopping. */
  previousRunGraceMs: 3_000,
} as const

/** Stops waiting for a step that knows nothing of aborting. */
export function rejectOnAbort<T>(step: Promise<T>, abort: AbortSignal): Promise<T> {
  const rejection = aborted(abort, step).then(() => Promise.reject(abort.reason))
  return Promise.race([step, rejection])
}

/** Prints one line for the person at the terminal. */
export type PrintLine = (line: string) => void
