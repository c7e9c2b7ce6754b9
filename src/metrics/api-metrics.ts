import type { Middleware } from 'koa'
import { Registry } from 'prom-client'
import { createMetricBuilders } from './process-metrics.ts'

/** State that an API process reads at a scrape, besides PostgreSQL; `storage` is null if its space is unknown. */
export type ApiProcessState = {
  isTemporalUp: boolean
  storage: { freeBytes: number; sizeBytes: number } | null
  load: { runningCount: number; limitCount: number; taskAgeMs: number } | undefined
}

/** Creates the metrics that one API process counts by itself. */
export function createApiMetrics() {
  const registry = new Registry()
  registry.setDefaultLabels({ process: 'api' })
  const { counter, gauge, histogram } = createMetricBuilders(registry)
  const requests = histogram(
    'trilho_http_request_seconds',
    'Requests answered, by route, method and status.',
    {
      labelNames: ['route', 'method', 'status'],
      buckets: [0.025, 0.1, 0.25, 1, 2.5, 5, 10],
    },
  )
  const limited = counter('trilho_rate_limited_total', 'Requests rejected by the rate limit of their token.')
  const failures = counter('trilho_http_failures_total', 'Requests answered 5xx, by code and cause.', [
    'code',
    'cause',
  ])
  const temporalUp = gauge('trilho_temporal_up', 'Whether Temporal answers this API.')
  const running = gauge('trilho_operations_running', 'New operations that this API awaits.')
  const limit = gauge('trilho_operations_limit', 'New operations that this API awaits at most at once.')
  const taskAge = gauge(
    'trilho_task_oldest_seconds',
    'Age of the oldest task in Temporal that no worker has started.',
  )
  const storageFree = gauge('trilho_storage_free_bytes', 'Free bytes of the file system of the attachments.')
  const storageSize = gauge(
    'trilho_storage_size_bytes',
    'Size in bytes of the file system of the attachments.',
  )
  for (const one of [storageFree, storageSize]) one.remove() // Without a disk there is no sample.
  return {
    registry,
    recordProcessState({ isTemporalUp, storage, load }: ApiProcessState): void {
      temporalUp.set(Number(isTemporalUp))
      running.set(load?.runningCount ?? 0)
      limit.set(load?.limitCount ?? 0)
      taskAge.set((load?.taskAgeMs ?? 0) / 1_000)
      if (!storage) return
      storageFree.set(storage.freeBytes)
      storageSize.set(storage.sizeBytes)
    },
    /** Labels the request with the route's pattern instead of its path, so that callers cannot create series. */
    measureRequest: (async (ctx, next) => {
      const stop = requests.startTimer()
      await next()
      stop({ route: String(ctx._matchedRoute ?? 'none'), method: ctx.method, status: String(ctx.status) })
      if (ctx.status === 429) limited.inc()
      const { code, cause } = ctx.state.failure ?? {}
      if (cause !== undefined) failures.inc({ code, cause })
    }) satisfies Middleware,
  }
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>
