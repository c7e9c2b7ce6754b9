import type { Middleware } from 'koa'
import { withDatabaseTime } from '../../db/pipeline/database-time.ts'

/**
 * Sends `Server-Timing` (https://www.w3.org/TR/server-timing/): the time until the response is ready and the part of it in
 * which the request waited for PostgreSQL. Only to callers with a valid token, and to signed-in users of the dashboard: from
 * a refused sign-in or token, exact times would show what was looked up.
 */
export const sendServerTiming: Middleware = (ctx, next) => {
  const startedAt = performance.now()
  return withDatabaseTime(async readDatabaseMs => {
    await next()
    if (!ctx.state.token && !ctx.state.isSignedIn) return
    const totalMs = performance.now() - startedAt
    ctx.set('Server-Timing', `total;dur=${totalMs.toFixed(1)}, db;dur=${readDatabaseMs().toFixed(1)}`)
  })
}
