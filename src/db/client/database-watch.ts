import { setTimeout as pause } from 'node:timers/promises'
import { openOrm } from './orm.ts'

const PROBE_INTERVAL_MS = 1_000
/** Timeout of one probe: a frozen server or a network that drops packets gives no other sign. */
const PROBE_TIMEOUT_MS = 2_000
/** Failed probes in a row after which PostgreSQL counts as lost: 5 s of refused connections, 15 s of silence. */
const MAX_FAILED_PROBES = 5

export type DatabaseWatch = {
  /** Resolves with true when PostgreSQL is lost, with false when the watch is closed first. */
  lost: Promise<boolean>
  close(): Promise<void>
}

/**
 * Watches PostgreSQL over a connection of its own with a probe every second, until five in a row have failed. It
 * counts probes, not time, so that a process that was itself suspended does not blame PostgreSQL. A worker without
 * PostgreSQL must not poll: Temporal would keep giving it tasks that only other workers can do (docs/production.md).
 */
export function watchDatabase(databaseUrl: string): DatabaseWatch {
  const closing = new AbortController()
  const lost = probeUntilLost(databaseUrl, closing.signal)
  return {
    lost,
    async close() {
      closing.abort()
      await lost
    },
  }
}

async function probeUntilLost(databaseUrl: string, closing: AbortSignal): Promise<boolean> {
  const orm = await openOrm({
    databaseUrl,
    applicationName: 'trilho worker probe',
    poolSize: 1,
    statementMs: PROBE_TIMEOUT_MS,
  })
  try {
    for (let failures = 0; !closing.aborted && failures < MAX_FAILED_PROBES; ) {
      const answered = orm.em.fork().execute('select 1')
      answered.catch(() => {}) // It may fail after its timeout.
      const isAnswered = await Promise.race([
        answered.then(
          () => true,
          () => false,
        ),
        pause(PROBE_TIMEOUT_MS, false, { ref: false }),
      ])
      failures = isAnswered ? 0 : failures + 1
      await pause(PROBE_INTERVAL_MS, undefined, { signal: closing }).catch(() => {})
    }
    return !closing.aborted
  } finally {
    if (closing.aborted) await orm.close()
    else void orm.close().catch(() => {}) // Closing may wait for a silent server.
  }
}
