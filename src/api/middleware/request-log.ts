import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Orm } from '../../db/client/orm.ts'
import { redactError } from '../../db/redact-error.ts'
import { type ApiRequestRecord, insertApiRequests } from '../../db/repositories/api-requests.ts'

/**
 * The log of requests by API tokens (SPEC §9), for the merchant's developers. It is not a promise about money: a process that is
 * killed loses its last second, and what exceeds the limits below is not recorded.
 */

/** Most records in memory; PostgreSQL may be slow or absent. */
const MAX_BUFFERED = 10_000
/** Most refusals of a token that are recorded per flush, of those that the rate limit does not bound. */
const MAX_UNBOUNDED_REFUSALS = 10
const UNBOUNDED_REFUSALS = ['rate_limited', 'address_not_allowed']

export type RequestLog = {
  recordRequest: Middleware
  /** Writes what is recorded; called once, when no request runs any more. */
  close(): Promise<void>
}

type RequestLogOptions = {
  orm: Orm
  log: Logger
  /** Time after which recorded requests are written, in one statement. */
  flushIntervalMs?: number
}

/** Creates the request log of a process. It never delays or fails a request. */
export function createRequestLog({ orm, log, flushIntervalMs = 1_000 }: RequestLogOptions): RequestLog {
  let records: ApiRequestRecord[] = []
  let droppedCount = 0
  let lastUs = 0
  let timer: NodeJS.Timeout | undefined
  let pendingFlush = Promise.resolve()
  const refusals = new Map<number, number>()

  function record(entry: ApiRequestRecord): void {
    if (entry.errorCode !== null && UNBOUNDED_REFUSALS.includes(entry.errorCode)) {
      const count = refusals.get(entry.tokenNumber) ?? 0
      if (count >= MAX_UNBOUNDED_REFUSALS) return
      refusals.set(entry.tokenNumber, count + 1)
    }
    if (records.length >= MAX_BUFFERED) {
      droppedCount += 1
      return
    }
    records.push(entry)
    timer ??= setTimeout(startFlush, flushIntervalMs).unref()
  }

  function startFlush(): void {
    pendingFlush = flush()
  }

  async function flush(): Promise<void> {
    const batch = records
    const dropped = droppedCount
    records = []
    droppedCount = 0
    refusals.clear()
    if (dropped > 0) log.warn({ dropped }, 'the request log is full: requests are not recorded')
    try {
      if (batch.length > 0) await insertApiRequests(orm.em.fork(), batch)
    } catch (error) {
      log.warn({ lost: batch.length, error: redactError(error) }, 'the request log could not be written')
    }
    timer = records.length > 0 ? setTimeout(startFlush, flushIntervalMs).unref() : undefined
  }

  /** Returns the present time in microseconds, later than the one before. */
  function nextMoment(): number {
    lastUs = Math.max(Date.now() * 1_000, lastUs + 1)
    return lastUs
  }

  return {
    async recordRequest(ctx, next) {
      const startedAt = performance.now()
      const atUs = nextMoment()
      await next()
      const { token, failure, requestId } = ctx.state
      if (token?.number === undefined) return
      record({
        tokenNumber: token.number,
        atUs,
        durationMs: Math.round(performance.now() - startedAt),
        status: ctx.status,
        method: ctx.method,
        path: describePath(ctx._matchedRoute, ctx.params),
        errorCode: failure?.code ?? null,
        requestId,
      })
    },
    async close() {
      clearTimeout(timer)
      await pendingFlush
      clearTimeout(timer)
      await flush()
      clearTimeout(timer)
    },
  }
}

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Describes the path of a request without what must not be stored: the route's pattern with the UUIDs of the path. A PIX key stays
 * `:key`, and a path without a route, which may hold anything, is null. The query may hold a document: it is left out.
 */
function describePath(pattern: unknown, params: Record<string, string> = {}): string | null {
  if (typeof pattern !== 'string') return null
  return pattern.replace(/:(\w+)/g, (parameter, name: string) => {
    const value = params[name] ?? ''
    return UUID_PATTERN.test(value) ? value.toLowerCase() : parameter
  })
}
