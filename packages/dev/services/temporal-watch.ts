import { pause } from '../../../src/startup/wait-until.ts'

export type TemporalWatch = {
  /** One call that reads the server's store. */
  check(): Promise<boolean>
  /** Ends the server; its supervisor starts it again. */
  restart(): void
  abort: AbortSignal
  maxUnansweredMs?: number
  checkEveryMs?: number
}

/**
 * Restarts a development server that runs, but has answered no call for 90 s, until `abort`: more than any test stops a
 * server for on purpose. Its SQLite can stay "interrupted (9)" for good after calls ran into their deadline on a loaded
 * machine: every call fails then, and only a restart helps. Workflows continue from the file afterwards.
 */
export async function watchTemporal({
  check,
  restart,
  abort,
  maxUnansweredMs = 90_000,
  checkEveryMs = 5_000,
}: TemporalWatch): Promise<void> {
  let answeredAt = performance.now()
  while (!abort.aborted) {
    if (await check()) answeredAt = performance.now()
    else if (performance.now() - answeredAt >= maxUnansweredMs) {
      restart()
      answeredAt = performance.now()
    }
    await pause(checkEveryMs, abort).catch(() => {})
  }
}
