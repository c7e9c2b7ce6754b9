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
 * `GET /metrics` for Prometheus: what this API process counts, what the workers published, and what stands in the
 * database, which may be away: its own figures are told all the same. Whoever is on this machine may read it; from
 * elsewhere only with the operator's token (SPEC §11).
 */
export function metricsRoutes(metrics: ApiMetrics): RouteRegistrar {
  return (router, { orm, config, temporal, storage }) => {
    router.koa.get('/metrics', async ctx => {
      if (!canReadMetrics(ctx, config)) fail('unauthenticated')
      const [told, isTemporalUp, space] = await Promise.all([
        readDatabaseMetrics(orm),
        isResponding(temporal().then(probeTemporal)),
        storage.measureSpace(),
      ])
      metrics.recordProcessState({ isTemporalUp, storage: space })
      ctx.type = metrics.registry.contentType
      ctx.body = mergeExpositions([await metrics.registry.metrics(), ...told])
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

/** Headers by which proxies tell for whom they ask; one that sends none of them passes on the host that was asked for. */
const FORWARDING_HEADER_PATTERN =
  /^(x-forwarded(-.*)?|forwarded|via|x-real-ip|.*(client|connecting|cluster|original)-ip|x-original-.*|cdn-loop|x-envoy-.*)$/

/**
 * Without the token only a program on this machine may read: a request over loopback, for a loopback host, that no proxy
 * has forwarded, at an API that is not behind one.
 */
function canReadMetrics(ctx: RouterContext, { metricsToken, isBehindProxy }: Config): boolean {
  const given = /^Bearer (\S+)$/.exec(ctx.get('Authorization'))?.[1]
  if (given !== undefined) return metricsToken !== undefined && isTokenEqual(given, metricsToken)
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

function isTokenEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
