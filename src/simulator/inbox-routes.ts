import Router from '@koa/router'
import { bodyText } from './route.ts'
import type { World } from './world.ts'

/** `/inbox/<name>`: takes any method with any body, at any path below it too, since Efí adds `/pix`. */
export function inboxRoutes({ inbox }: World): Router {
  const router = new Router()
  router.all('/inbox/:name{/*rest}', async ctx => {
    const { name } = ctx.params as { name: string }
    const { method, headers } = ctx.req
    const answer = await inbox.take(name, { method: method!, headers, body: await bodyText(ctx) })
    ctx.set(answer.headers)
    ctx.body = { received: true }
    ctx.status = answer.status
  })
  return router
}
