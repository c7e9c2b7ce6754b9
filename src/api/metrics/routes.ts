import { timingSafeEqual } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import { Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import type { Orm } from '../../db/client/orm.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { CLOCK_QUERY } from '../../db/repositories/database-clock.ts'
import { fail } from '../../http/api-error.ts'
import { PROBE_TIMEOUT_MS } from '../../http/limits.ts'
import { isOutage, withTimeout } from '../../http/outage.ts'
import type { ApiMetrics } from '../../metrics/api-metrics.ts'
import { renderDatabaseDown, renderDatabaseMetrics } from '../../metrics/database-metrics.ts'
import { computeClockOffsetS } from '../../metrics/process-metrics.ts'
import { readTemporalSdkMetrics } from '../../metrics/temporal-sdk-metrics.ts'
import type { WorkerMetrics } from '../../metrics/worker-metrics.ts'
import { sha256 } from '../../security/sealing.ts'
import type { RouteRegistrar } from '../app.ts'
import type { ApiRouter } from '../http/route.ts'
import { probeTemporal } from '../operations/temporal-client.ts'

/**
 * Registers `GET /metrics` of an API process: its own metrics, and those read from PostgreSQL. While PostgreSQL is down,
 * its own are still served.
 */
export function metricsRoutes(metrics: ApiMetrics): RouteRegistrar {
  return (router, { orm, config, temporal, storage }) =>
    registerMetricsRoute(router, config, async () => {
      const [databaseMetrics, isTemporalUp, space] = await Promise.all([
        readDatabaseMetrics(orm),
        isResponding(temporal.client().then(probeTemporal)),
        storage.measureSpace(),
      ])
      metrics.recordProcessState({ isTemporalUp, storage: space, load: router.admission?.readLoad() })
      return (await metrics.registry.metrics()) + databaseMetrics
    })
}

/** Registers `GET /metrics` of a worker: its own metrics, and those of Temporal's SDK, served at `sdkAddress`. */
export function workerMetricsRoutes(metrics: WorkerMetrics, sdkAddress: string): RouteRegistrar {
  return (router, { orm, config, findUnreadiness }) =>
    registerMetricsRoute(router, config, async () => {
      const [clockOffsetS, sdkMetrics] = await Promise.all([
        withTimeout(PROBE_TIMEOUT_MS, measureClockOffset(orm)).catch(() => null),
        readTemporalSdkMetrics(sdkAddress),
      ])
      metrics.recordWorkerState({ isPolling: !findUnreadiness?.(), clockOffsetS })
      return (await metrics.registry.metrics()) + sdkMetrics
    })
}

/** Programs on this machine need no token for the metrics; all others need the operator's token (SPEC §11). */
function registerMetricsRoute(
  router: ApiRouter,
  config: Config,
  collectMetrics: () => Promise<string>,
): void {
  router.koa.get('/metrics', async ctx => {
    if (!canReadMetrics(ctx, config)) fail('unauthenticated')
    ctx.type = Registry.PROMETHEUS_CONTENT_TYPE
    ctx.body = await collectMetrics()
  })
}

function isResponding(probe: Promise<unknown>): Promise<boolean> {
  return withTimeout(PROBE_TIMEOUT_MS, probe).then(
    () => true,
    () => false,
  )
}

async function readDatabaseMetrics(orm: Orm): Promise<string> {
  try {
    return await renderDatabaseMetrics(orm)
  } catch (error) {
    if (!isOutage(error)) throw error
    return renderDatabaseDown()
  }
}

async function measureClockOffset(orm: Orm): Promise<number> {
  const askedAtMs = Date.now()
  const databaseMs = await runQuery(orm.em.fork(), CLOCK_QUERY)
  return computeClockOffsetS(databaseMs / 1_000, { askedAtMs, answeredAtMs: Date.now() })
}

/** Matches headers by which proxies name the client. A proxy that sends none of them passes on the requested host. */
const FORWARDING_HEADER_PATTERN =
  /^(x-forwarded(-.*)?|forwarded|via|x-real-ip|.*(client|connecting|cluster|original)-ip|x-original-.*|cdn-loop|x-envoy-.*)$/

/**
 * Tests whether a request may read the metrics. Without the token, only a program on this machine may: over loopback,
 * for a loopback host, not forwarded by a proxy, at a process that is not behind one.
 */
function canReadMetrics(ctx: RouterContext, { metricsToken, isBehindProxy }: Config): boolean {
  const token = /^Bearer (\S+)$/.exec(ctx.get('Authorization'))?.[1]
  if (token !== undefined)
    return metricsToken !== undefined && timingSafeEqual(sha256(token), sha256(metricsToken))
  const isForwarded = Object.keys(ctx.req.headers).some(name => FORWARDING_HEADER_PATTERN.test(name))
  return (
    !isBehindProxy &&
    !isForwarded &&
    isLoopbackHost(ctx.req.socket.remoteAddress ?? '') &&
    isLoopbackHost(ctx.hostname)
  )
}

function isLoopbackHost(host: string): boolean {
  return /^(localhost|\[?::1\]?|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(host)
}
