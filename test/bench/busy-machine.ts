import { setTimeout as sleep } from 'node:timers/promises'
import { classifyDependencyFailure, isOutage } from '../../src/http/outage.ts'

/** How long a call is repeated that a server refuses or does not answer, and how often. */
const REPEAT_LIMIT_MS = 30_000
const REPEAT_INTERVAL_MS = 500

/** Makes a call, again while a server refuses it or does not answer it; rejects with the last error. */
export async function repeatWhileBusy<T>(
  call: () => Promise<T>,
  { limitMs = REPEAT_LIMIT_MS, everyMs = REPEAT_INTERVAL_MS } = {},
): Promise<T> {
  const giveUpAt = performance.now() + limitMs
  while (true)
    try {
      return await call()
    } catch (error) {
      if (!isOutage(error) || performance.now() > giveUpAt) throw error
      await sleep(everyMs)
    }
}

/** Formats the end of a benchmark by an error that a busy machine explains, in one line; undefined for any other error. */
export function formatBusyEnd(error: unknown): string | undefined {
  const failure = classifyDependencyFailure(error)
  if (failure?.isOutage)
    return `The machine is too busy for the benchmark (${failure.cause}). Run it with nothing else.`
  return undefined
}
