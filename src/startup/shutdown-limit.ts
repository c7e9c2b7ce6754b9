import type { Logger } from 'pino'

/**
 * Ends the process `limitMs` milliseconds after the start of its shutdown, with exit code 1 and a line of its log, unless it has ended
 * by then: Temporal's core waits without end for an activity that does not return after it was cancelled.
 */
export function limitShutdown(log: Pick<Logger, 'fatal'>, limitMs: number): void {
  const end = () => {
    log.fatal('the worker exits although an activity has not returned since it was cancelled')
    process.exit(1)
  }
  setTimeout(end, limitMs).unref()
}
