import { setTimeout as sleep } from 'node:timers/promises'
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
  /** The first start makes its schema. */
  temporalMs: 60_000,
  /** One call of a start that asks whether it is up. */
  temporalCallMs: 2_000,
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

export function pause(ms: number, abort?: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal: abort })
}

/**
 * Asks until the answer is neither undefined nor false; throws after the limit, with a description that may contain the
 * last answer: p-wait-for fixes its message before the first one, and wait-on knows only files, ports and URLs.
 */
export async function waitUntil<T>(
  ask: () => T | Promise<T>,
  wait: { description: string | (() => string); limitMs: number; everyMs?: number; abort?: AbortSignal },
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + wait.limitMs
  for (;;) {
    wait.abort?.throwIfAborted()
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    if (performance.now() > deadline) {
      const description = typeof wait.description === 'string' ? wait.description : wait.description()
      throw new Error(`${description} (waited ${Math.round(wait.limitMs / 1000)} s)`)
    }
    await pause(wait.everyMs ?? 100, wait.abort)
  }
}

/** Stops waiting for a step that knows nothing of aborting. */
export function rejectOnAbort<T>(step: Promise<T>, abort: AbortSignal): Promise<T> {
  const rejection = aborted(abort, step).then(() => Promise.reject(abort.reason))
  return Promise.race([step, rejection])
}

/** Prints one line for the person at the terminal. */
export type PrintLine = (line: string) => void
