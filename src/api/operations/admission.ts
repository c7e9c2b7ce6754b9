import { setTimeout as pause } from 'node:timers/promises'
import { adjustLimit, findOverload, INITIAL_LIMIT, type ServiceLoad } from '../../domain/shared/admission.ts'
import { ApiError, fail } from '../../http/api-error.ts'
import { PROBE_TIMEOUT_MS, TASK_AGE_INTERVAL_MS, UNAVAILABLE_RETRY_S } from '../../http/limits.ts'
import { readTaskAgeMs } from '../../temporal/task-age.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'

/** Admits or refuses the new operations of one API process. */
export type Admission = {
  /** Runs a new operation, or fails with 503 `overloaded` before anything of it has begun. */
  run<T>(operation: () => Promise<T>): Promise<T>
  /** Records the age of the oldest task that no worker has started; 0 if it is unknown. */
  recordTaskAge(ageMs: number): void
  readLoad(): ServiceLoad
}

/** Creates the admission of a process that has just started. `now` is a monotonic clock. */
export function createAdmission(now: () => number = () => performance.now()): Admission {
  let limit = INITIAL_LIMIT
  let confirmedAtMs = now()
  let taskAgeMs = 0
  /** In the order of their start. */
  const running = new Set<{ startedAtMs: number }>()

  function readLoad(): ServiceLoad {
    const [oldest] = running
    const nowMs = now()
    return {
      limitCount: limit.count,
      runningCount: running.size,
      oldestWaitMs: oldest ? nowMs - oldest.startedAtMs : 0,
      sinceConfirmedMs: nowMs - confirmedAtMs,
      taskAgeMs,
    }
  }
  function recordEnd(startedAtMs: number, isConfirmed: boolean): void {
    const nowMs = now()
    if (isConfirmed) confirmedAtMs = nowMs
    const waitMs = nowMs - startedAtMs
    limit = adjustLimit(limit, { isConfirmed, waitMs, runningCount: running.size, nowMs })
  }
  return {
    async run(operation) {
      const cause = findOverload(readLoad())
      if (cause) fail('overloaded', { retryAfterS: UNAVAILABLE_RETRY_S, cause: `overload: ${cause}` })
      const request = { startedAtMs: now() }
      running.add(request)
      try {
        const result = await operation()
        recordEnd(request.startedAtMs, true)
        return result
      } catch (error) {
        // Any other failure shows nothing about the queue: the request was refused, or the provider was.
        if (error instanceof ApiError && error.code === 'not_confirmed') recordEnd(request.startedAtMs, false)
        throw error
      } finally {
        running.delete(request)
      }
    },
    recordTaskAge(ageMs) {
      taskAgeMs = ageMs
    },
    readLoad,
  }
}

/** Reads the age of the oldest waiting task until `signal`. Where Temporal does not report it, the own count decides. */
export async function watchTaskAge(
  admission: Admission,
  { client, taskQueue }: TemporalContext,
  signal: AbortSignal,
): Promise<void> {
  const readAge = async () => {
    const temporal = await client()
    return temporal.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () => readTaskAgeMs(temporal, taskQueue))
  }
  while (!signal.aborted) {
    admission.recordTaskAge(await readAge().catch(() => 0))
    await pause(TASK_AGE_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}
