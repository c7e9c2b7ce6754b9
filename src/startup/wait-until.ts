import { setTimeout as sleep } from 'node:timers/promises'

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
