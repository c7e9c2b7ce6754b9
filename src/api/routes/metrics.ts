import { timingSafeEqual } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { Config } from '../../config.ts'
import type { Orm } from '../../db/orm.ts'
import type { ApiMetrics } from '../../metrics/api.ts'
import { mergeExpositions } from '../../metrics/exposition.ts'
import { publishedMetrics } from '../../metrics/published.ts'
import { stateMetrics, stateUnknown } from '../../metrics/state.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { PROBE_MS } from '../limits.ts'
import { isOutage, within } from '../outage.ts'
import { probeTemporal } from '../temporal.ts'

/**
 * `GET /metrics` for Prometheus: what this API process counts, what the workers published, and what stands in the
 * database, which may be away: its own figures are told all the same. Whoever is on this machine may read it; from
 * elsewhere only with the operator's token (SPEC §11).
 */
export function metricsRoutes(metrics: ApiMetrics): Routes {
  return (router, { orm, config, temporal, storage }) => {
    router.koa.get('/metrics', async ctx => {
      if (!mayRead(ctx, config)) refuse('unauthenticated')
      const [told, isTemporalUp, space] = await Promise.all([
        toldByDatabase(orm),
        answers(temporal().then(probeTemporal)),
        storage.space(),
      ])
      metrics.found({ isTemporalUp, storage: space })
      ctx.type = metrics.registry.contentType
      ctx.body = mergeExpositions([await metrics.registry.metrics(), ...told])
    })
  }
}

function answers(probe: Promise<unknown>): Promise<boolean> {
  return within(PROBE_MS, probe).then(
    () => true,
    () => false,
  )
}

async function toldByDatabase(orm: Orm): Promise<string[]> {
  try {
    const [state, workers] = await Promise.all([stateMetrics(orm), publishedMetrics(orm)])
    return [...workers, state]
  } catch (error) {
    if (!isOutage(error)) throw error
    return [await stateUnknown()]
  }
}

/** Headers by which proxies tell for whom they ask; one that sends none of them passes on the host that was asked for. */
const FORWARDING =
  /^(x-forwarded(-.*)?|forwarded|via|x-real-ip|.*(client|connecting|cluster|original)-ip|x-original-.*|cdn-loop|x-envoy-.*)$/

/**
 * Without the token only a program on this machine may read: a request over loopback, for a loopback host, that no proxy
 * has forwarded, at an API that is not behind one.
 */
function mayRead(ctx: RouterContext, { metricsToken, isBehindProxy }: Config): boolean {
  const given = /^Bearer (\S+)$/.exec(ctx.get('Authorization'))?.[1]
  if (given !== undefined) return metricsToken !== undefined && isEqual(given, metricsToken)
  const isForwarded = Object.keys(ctx.req.headers).some(name => FORWARDING.test(name))
  return (
    !isBehindProxy &&
    !isForwarded &&
    isLoopback(ctx.req.socket.remoteAddress ?? '') &&
    isLoopback(ctx.hostname)
  )
}

function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(host)
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
