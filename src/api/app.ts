import Router, { type Layer, type RouterContext } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import type { CodeReader } from '../code-reader/reader.ts'
import type { Config } from '../config.ts'
import type { Orm } from '../db/client/orm.ts'
import { createSemaphore } from '../domain/shared/semaphore.ts'
import { fail } from '../http/api-error.ts'
import { errorHandler } from '../http/error-handler.ts'
import { MAX_CONCURRENT_FORMS } from '../http/limits.ts'
import { enforceDeadline } from '../http/request-deadline.ts'
import {
  assignRequestId,
  createAccessLog,
  requireValidHeaders,
  setSecurityHeaders,
} from '../http/request-id.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Sealer } from '../security/sealing.ts'
import type { FileStorage } from '../storage/storage.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { createAuthenticator } from './authorization/authenticate.ts'
import { type ApiRouter, requireGlobalToken } from './http/route.ts'
import { compressResponse } from './middleware/compression.ts'
import { createRateLimiter } from './middleware/rate-limit.ts'
import { sendServerTiming } from './middleware/server-timing.ts'
import { traceRequest } from './middleware/tracing.ts'
import type { Admission } from './operations/admission.ts'

/** Dependencies that a process builds once for all routes. */
export type ApiDependencies = {
  orm: Orm
  /** Its client connects at the first call, and rejects while Temporal is unreachable. */
  temporal: TemporalContext
  config: Config
  log: Logger
  sealer: Sealer
  storage: FileStorage
  /** Reads the PIX codes of other receivers before they are paid. */
  codeReader: CodeReader
  /** Reaches providers: to look up keys, and for an operator who connects an account; where absent, neither is possible here. */
  providers?: ProviderRegistry
  /** Why `/readyz` answers 503 at this moment, whatever PostgreSQL and Temporal answer; other routes still work. */
  findUnreadiness?: () => 'starting' | 'stopping' | undefined
}

/** Registers the routes of one resource. */
export type RouteRegistrar = (router: ApiRouter, dependencies: ApiDependencies) => void

export type AppOptions = ApiDependencies & {
  routes: RouteRegistrar[]
  admission?: Admission
  /** Middleware that measures every request and its response. */
  requestMetrics?: Middleware
  /** Middleware that records requests of API tokens for their owners. */
  recordRequest?: Middleware
}

/** Creates the API as a Koa app: middleware, one router, one error handler. */
export function createApp({
  routes,
  requestMetrics,
  recordRequest,
  admission,
  ...dependencies
}: AppOptions): Koa {
  const { orm, log, config } = dependencies
  const limiter = createRateLimiter(orm, config.rate)
  const authenticate = createAuthenticator(orm, { batchedQuery: limiter.queryShare })
  const router: ApiRouter = {
    koa: new Router(),
    routes: [],
    orm,
    log,
    formSemaphore: createSemaphore(MAX_CONCURRENT_FORMS),
    admission,
    async authenticateAndCount(ctx) {
      const token = await authenticate(ctx.get('Authorization'))
      ctx.state.token = token.caller
      // Before it is counted: a stranger who has the token must not use up the limit of its owner.
      if (!token.isAllowedFrom(ctx.ip)) fail('address_not_allowed')
      ctx.set(await limiter.countRequest(token.caller.uuid))
      return token
    },
  }
  for (const register of routes) register(router, dependencies)

  const app = new Koa({ proxy: config.isBehindProxy, maxIpsCount: 1 })
  app.on('error', (error: unknown) =>
    log.warn({ code: Object(error).code }, 'the response could not be sent to the client'),
  )
  app.use(assignRequestId)
  app.use(traceRequest)
  app.use(createAccessLog(log))
  if (requestMetrics) app.use(requestMetrics)
  if (recordRequest) app.use(recordRequest)
  app.use(setSecurityHeaders)
  app.use(sendServerTiming)
  app.use(errorHandler(log))
  app.use(compressResponse)
  app.use(requireValidHeaders)
  app.use(enforceDeadline)
  app.use(router.koa.routes())
  app.use(ctx => failUnmatchedRoute(router, ctx as RouterContext))
  return app
}

/** Paths that refuse provider-scoped tokens, also where no route matches. */
const GLOBAL_TOKEN_PATHS = /^\/api\/v1\/webhooks(\/|$)/i

/** Fails a request that no route matched: 405 where the path exists under another method, else 404. */
async function failUnmatchedRoute(router: ApiRouter, ctx: RouterContext): Promise<never> {
  if (GLOBAL_TOKEN_PATHS.test(ctx.path)) requireGlobalToken((await router.authenticateAndCount(ctx)).caller)
  const { path: layers } = router.koa.match(ctx.path, ctx.method)
  const literal = layers.filter(({ paramNames }) => paramNames.length === 0)
  const serving = literal.length > 0 ? literal : layers.filter(layer => isServed(router, layer, ctx.path))
  const allowed = [...new Set(serving.flatMap(({ methods }) => methods))]
  if (allowed.length === 0) fail('not_found')
  fail('method_not_allowed', { headers: { Allow: allowed.sort().join(', ') } })
}

/** Tests whether a layer serves a path: the parameters of its route may exclude it (`/payments/not-a-uuid`). */
function isServed({ routes }: ApiRouter, layer: Layer, path: string): boolean {
  const route = routes.find(
    one => one.path === layer.path && layer.methods.includes(one.method.toUpperCase()),
  )
  return !route || route.params.safeParse(layer.params(path, layer.captures(path))).success
}
