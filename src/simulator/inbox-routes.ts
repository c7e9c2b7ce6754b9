import Router from '@koa/router'
import { readBodyText } from './request.ts'
import type { SimulatorState } from './state.ts'

/** `/inbox/<name>`: takes any method with any body, at any path below it too, since Efí adds `/pix`. */
export function createInboxRoutes({ inbox }: SimulatorState): Router {
  const router = new Router()
  router.all('/inbox/:name{/*rest}', async ctx => {
    const { name } = ctx.params as { name: string }
    const { method, headers } = ctx.req
    const answer = await inbox.receive(name, { method: method!, headers, body: await readBodyText(ctx) })
    ctx.set(answer.headers)
    ctx.body = { received: true }
    ctx.status = answer.status
  })
  return router
}
