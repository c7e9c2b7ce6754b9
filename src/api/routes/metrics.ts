import { timingSafeEqual } from 'node:crypto'
import type { RouterContext } from '@koa/router'
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
      if (!mayRead(ctx, config.metricsToken)) refuse('unauthenticated')
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

/** A proxy in front is on this machine too: what it forwards for somebody else needs the token. */
function mayRead(ctx: RouterContext, token: string | undefined): boolean {
  const given = /^Bearer (\S+)$/.exec(ctx.get('Authorization'))?.[1]
  if (given !== undefined) return token !== undefined && isEqual(given, token)
  const local = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(ctx.req.socket.remoteAddress ?? '')
  return local && ctx.get('X-Forwarded-For') === '' && ctx.get('Forwarded') === ''
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
