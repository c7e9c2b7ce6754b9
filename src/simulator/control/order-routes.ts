import type Router from '@koa/router'
import { reaisFromCents } from '../../domain/money.ts'
import { type StandingOrder, standingOrdersOf } from '../dialects/woovi/send.ts'
import { part, Refusal } from '../route.ts'
import type { World } from '../world.ts'

/** What a person does in a provider's panel with the orders that wait for an approval there. */
export function orderRoutes(router: Router, world: World): void {
  const orders = standingOrdersOf(world)
  router.get('/orders', ctx => {
    ctx.body = { data: orders.list().map(shown) }
  })
  router.post('/orders/:id/approve', ctx => {
    const answer = orders.approve(part(ctx, 'id'))
    if (!answer) throw new Refusal(404, 'no such order waits')
    if (answer.status >= 300) throw new Refusal(409, 'the provider refuses to carry it out')
    ctx.body = { id: part(ctx, 'id') }
  })
  router.delete('/orders/:id', ctx => {
    if (!orders.remove(part(ctx, 'id'))) throw new Refusal(404, 'no such order waits')
    ctx.body = { id: part(ctx, 'id') }
  })
}

function shown({ id, accountId, cents, key }: StandingOrder) {
  return { id, account: accountId, value: reaisFromCents(cents), key }
}
