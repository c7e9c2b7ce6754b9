import Router from '@koa/router'
import type { Client } from '@temporalio/client'
import Koa from 'koa'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Orm } from '../db/orm.ts'
import type { Sealer } from '../sealing.ts'
import { authenticator } from './auth.ts'
import { accessLog, requestId, securityHeaders } from './envelope.ts'
import { refuse } from './errors.ts'
import { failures } from './failure.ts'
import { nameFailedTransactions } from './outage.ts'
import { rateLimiter } from './rate-limit.ts'
import type { ApiRouter } from './route.ts'

/** What a process builds once and every route may use. */
export type Dependencies = {
  orm: Orm
  /** Connects at the first call; rejects while Temporal is away. */
  temporal: () => Promise<Client>
  config: Config
  log: Logger
  sealer: Sealer
}

/** The routes of one noun; they register themselves. */
export type Routes = (router: ApiRouter, dependencies: Dependencies) => void

/** The API: one error channel around one router. */
export function createApp({ routes, ...dependencies }: Dependencies & { routes: Routes[] }): Koa {
  const { orm, log, config } = dependencies
  nameFailedTransactions(orm)
  const authenticate = authenticator(orm)
  const countRequest = rateLimiter(orm, config.rate)
  const router: ApiRouter = {
    koa: new Router(),
    described: [],
    orm,
    log,
    async admit(ctx) {
      const token = await authenticate(ctx.get('Authorization'))
      ctx.state.token = token
      ctx.set(await countRequest(token.uuid))
      return token
    },
  }
  for (const register of routes) register(router, dependencies)

  const app = new Koa()
  app.on('error', (error: unknown) =>
    log.warn({ code: Object(error).code }, 'an answer did not reach its caller'),
  )
  app.use(requestId)
  app.use(accessLog(log))
  app.use(securityHeaders)
  app.use(failures(log))
  app.use(router.koa.routes())
  app.use(ctx => notServed(router, ctx))
  return app
}

/** Nobody took the request: 405 where the path is known under another method, else 404. */
function notServed(router: ApiRouter, ctx: Koa.Context): never {
  const layers = router.koa.match(ctx.path, ctx.method).path
  const allowed = [...new Set(layers.flatMap(layer => layer.methods))]
  if (allowed.length === 0) refuse('not_found')
  refuse('method_not_allowed', { headers: { Allow: allowed.sort().join(', ') } })
}
