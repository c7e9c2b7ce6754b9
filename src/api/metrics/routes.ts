import { timingSafeEqual } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { Config } from '../../config.ts'
import type { Orm } from '../../db/client/orm.ts'
import type { ApiMetrics } from '../../metrics/api-metrics.ts'
import { renderDatabaseDown, renderDatabaseMetrics } from '../../metrics/database-metrics.ts'
import { mergeExpositions } from '../../metrics/exposition.ts'
import { readPublishedMetrics } from '../../metrics/worker-metrics-publication.ts'
import type { RouteRegistrar } from '../app.ts'
import { fail } from '../http/api-error.ts'
import { isOutage, withTimeout } from '../http/outage.ts'
import { PROBE_TIMEOUT_MS } from '../limits.ts'
import { probeTemporal } from '../operations/temporal-client.ts'

/**
 * Registers `GET /metrics` for Prometheus: the metrics of this API process, those published by the workers, and those
 * read from PostgreSQL. While PostgreSQL is down, the process's own metrics are still served. Programs on this
 * machine need no token; all others need the operator's token (SPEC §11).
 */
export function metricsRoutes(metrics: ApiMetrics): RouteRegistrar {
  return (router, { orm, config, temporal, storage }) => {
    router.koa.get('/metrics', async ctx => {
      if (!canReadMetrics(ctx, config)) fail('unauthenticated')
      const [databaseMetrics, isTemporalUp, space] = await Promise.all([
        readDatabaseMetrics(orm),
        isResponding(temporal().then(probeTemporal)),
        storage.measureSpace(),
      ])
      metrics.recordProcessState({ isTemporalUp, storage: space })
      ctx.type = metrics.registry.contentType
      ctx.body = mergeExpositions([await metrics.registry.metrics(), ...databaseMetrics])
    })
  }
}

function isResponding(probe: Promise<unknown>): Promise<boolean> {
  return withTimeout(PROBE_TIMEOUT_MS, probe).then(
    () => true,
    () => false,
  )
}

async function readDatabaseMetrics(orm: Orm): Promise<string[]> {
  try {
    const [state, workers] = await Promise.all([renderDatabaseMetrics(orm), readPublishedMetrics(orm)])
    return [...workers, state]
  } catch (error) {
    if (!isOutage(error)) throw error
    return [await renderDatabaseDown()]
  }
}

/** Matches headers by which proxies name the client. A proxy that sends none of them passes on the requested host. */
const FORWARDING_HEADER_PATTERN =
  /^(x-forwarded(-.*)?|forwarded|via|x-real-ip|.*(client|connecting|cluster|original)-ip|x-original-.*|cdn-loop|x-envoy-.*)$/

/**
 * Tests whether a request may read the metrics. Without the token, only a program on this machine may: over loopback,
 * for a loopback host, not forwarded by a proxy, at an API that is not behind one.
 */
function canReadMetrics(ctx: RouterContext, { metricsToken, isBehindProxy }: Config): boolean {
  const token = /^Bearer (\S+)$/.exec(ctx.get('Authorization'))?.[1]
  if (token !== undefined) return metricsToken !== undefined && isTokenEqual(token, metricsToken)
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

function isTokenEqual(token: string, expected: string): boolean {
  const [a, b] = [Buffer.from(token), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
