import Router, { type RouterContext } from '@koa/router'
import type { Client } from '@temporalio/client'
import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Orm } from '../db/client/orm.ts'
import type { Sealer } from '../security/sealing.ts'
import type { FileStorage } from '../storage/storage.ts'
import { fail } from './http/api-error.ts'
import { type ApiRouter, requireGlobalToken } from './http/route.ts'
import { createSemaphore } from './http/semaphore.ts'
import { MAX_CONCURRENT_FORMS } from './limits.ts'
import { createAuthenticator } from './middleware/authenticate.ts'
import { errorHandler } from './middleware/error-handler.ts'
import { createRateLimiter } from './middleware/rate-limit/bucket.ts'
import { enforceDeadline } from './middleware/request-deadline.ts'
import {
  assignRequestId,
  createAccessLog,
  requireSingleHostHeader,
  setSecurityHeaders,
} from './middleware/request-id.ts'
import { traceRequest } from './middleware/tracing.ts'

/** What a process builds once and every route may use. */
export type ApiDependencies = {
  orm: Orm
  /** Connects at the first call; rejects while Temporal is away. */
  temporal: () => Promise<Client>
  config: Config
  log: Logger
  sealer: Sealer
  storage: FileStorage
  /** Whether the process has been told to stop: `/readyz` then answers 503, everything else is served. */
  isStopping?: () => boolean
}

/** The routes of one noun; they register themselves. */
export type RouteRegistrar = (router: ApiRouter, dependencies: ApiDependencies) => void

export type AppOptions = ApiDependencies & {
  routes: RouteRegistrar[]
  /** Sees every request and how it was answered. */
  requestMetrics?: Middleware
}

/** The API: one error channel around one router. */
export function createApp({ routes, requestMetrics: count, ...dependencies }: AppOptions): Koa {
  const { orm, log, config } = dependencies
  const limiter = createRateLimiter(orm, config.rate)
  const authenticate = createAuthenticator(orm, { batchedQuery: limiter.queryShare })
  const router: ApiRouter = {
    koa: new Router(),
    routes: [],
    orm,
    log,
    formSemaphore: createSemaphore(MAX_CONCURRENT_FORMS),
    async authenticateAndCount(ctx) {
      const token = await authenticate(ctx.get('Authorization'))
      ctx.state.token = token
      ctx.set(await limiter.countRequest(token.uuid))
      return token
    },
  }
  for (const register of routes) register(router, dependencies)

  const app = new Koa({ proxy: config.isBehindProxy, maxIpsCount: 1 })
  app.on('error', (error: unknown) =>
    log.warn({ code: Object(error).code }, 'an answer did not reach its caller'),
  )
  app.use(assignRequestId)
  app.use(traceRequest)
  app.use(createAccessLog(log))
  if (count) app.use(count)
  app.use(setSecurityHeaders)
  app.use(errorHandler(log))
  app.use(requireSingleHostHeader)
  app.use(enforceDeadline)
  app.use(router.koa.routes())
  app.use(ctx => failUnmatchedRoute(router, ctx as RouterContext))
  return app
}

/** Bound tokens have no business here, not even with what is not there. */
const GLOBAL_TOKEN_PATHS = /^\/api\/v1\/webhooks(\/|$)/i

/** Nobody took the request: 405 where the path is known under another method, else 404. */
async function failUnmatchedRoute(router: ApiRouter, ctx: RouterContext): Promise<never> {
  if (GLOBAL_TOKEN_PATHS.test(ctx.path)) requireGlobalToken(await router.authenticateAndCount(ctx))
  const layers = router.koa.match(ctx.path, ctx.method).path
  const allowed = [...new Set(layers.flatMap(layer => layer.methods))]
  if (allowed.length === 0) fail('not_found')
  fail('method_not_allowed', { headers: { Allow: allowed.sort().join(', ') } })
}
