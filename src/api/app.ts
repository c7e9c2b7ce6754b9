import Router, { type RouterContext } from '@koa/router'
import type { Client } from '@temporalio/client'
import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Orm } from '../db/orm.ts'
import type { Sealer } from '../sealing.ts'
import type { Storage } from '../storage/storage.ts'
import { authenticator } from './auth.ts'
import { answeredInTime } from './deadline.ts'
import { accessLog, requestId, requireOneHost, securityHeaders } from './envelope.ts'
import { refuse } from './errors.ts'
import { failures } from './failure.ts'
import { FORMS_AT_ONCE } from './limits.ts'
import { rateLimiter } from './rate-limit.ts'
import { type ApiRouter, requireGlobal } from './route.ts'
import { traced } from './traced.ts'
import { turns } from './turns.ts'

/** What a process builds once and every route may use. */
export type Dependencies = {
  orm: Orm
  /** Connects at the first call; rejects while Temporal is away. */
  temporal: () => Promise<Client>
  config: Config
  log: Logger
  sealer: Sealer
  storage: Storage
  /** Whether the process has been told to stop: `/readyz` then answers 503, everything else is served. */
  isStopping?: () => boolean
}

/** The routes of one noun; they register themselves. */
export type Routes = (router: ApiRouter, dependencies: Dependencies) => void

export type AppOptions = Dependencies & {
  routes: Routes[]
  /** Sees every request and how it was answered. */
  count?: Middleware
}

/** The API: one error channel around one router. */
export function createApp({ routes, count, ...dependencies }: AppOptions): Koa {
  const { orm, log, config } = dependencies
  const limiter = rateLimiter(orm, config.rate)
  const authenticate = authenticator(orm, { beside: limiter.shareBeside })
  const router: ApiRouter = {
    koa: new Router(),
    described: [],
    orm,
    log,
    formTurns: turns(FORMS_AT_ONCE),
    async admit(ctx) {
      const token = await authenticate(ctx.get('Authorization'))
      ctx.state.token = token
      ctx.set(await limiter.count(token.uuid))
      return token
    },
  }
  for (const register of routes) register(router, dependencies)

  const app = new Koa({ proxy: config.isBehindProxy, maxIpsCount: 1 })
  app.on('error', (error: unknown) =>
    log.warn({ code: Object(error).code }, 'an answer did not reach its caller'),
  )
  app.use(requestId)
  app.use(traced)
  app.use(accessLog(log))
  if (count) app.use(count)
  app.use(securityHeaders)
  app.use(failures(log))
  app.use(requireOneHost)
  app.use(answeredInTime)
  app.use(router.koa.routes())
  app.use(ctx => notServed(router, ctx as RouterContext))
  return app
}

/** Bound tokens have no business here, not even with what is not there. */
const GLOBAL_ONLY = /^\/api\/v1\/webhooks(\/|$)/i

/** Nobody took the request: 405 where the path is known under another method, else 404. */
async function notServed(router: ApiRouter, ctx: RouterContext): Promise<never> {
  if (GLOBAL_ONLY.test(ctx.path)) requireGlobal(await router.admit(ctx))
  const layers = router.koa.match(ctx.path, ctx.method).path
  const allowed = [...new Set(layers.flatMap(layer => layer.methods))]
  if (allowed.length === 0) refuse('not_found')
  refuse('method_not_allowed', { headers: { Allow: allowed.sort().join(', ') } })
}
