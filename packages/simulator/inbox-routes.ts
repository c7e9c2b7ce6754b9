import Router from '@koa/router'
import { readBodyText } from './request.ts'
import type { SimulatorState } from './state.ts'

/** Serves `/inbox/<name>` and any path below it, because Efí appends `/pix`, with any method and body. */
export function createInboxRoutes({ inbox }: SimulatorState): Router {
  const router = new Router()
  router.all('/inbox/:name{/*rest}', async ctx => {
    const { name } = ctx.params as { name: string }
    const { method, headers } = ctx.req
    const response = await inbox.receive(name, { method: method!, headers, body: await readBodyText(ctx) })
    ctx.set(response.headers)
    ctx.body = { received: true }
    ctx.status = response.status
  })
  return router
}
