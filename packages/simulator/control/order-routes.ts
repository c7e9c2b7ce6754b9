import type Router from '@koa/router'
import { reaisFromCents } from '../amount.ts'
import { createPendingOrders, type WooviPendingOrder } from '../provider-apis/woovi/transfers.ts'
import { ControlApiError, readPathParam } from '../request.ts'
import type { SimulatorState } from '../state.ts'

/** Adds the routes of a provider's panel, in which a person approves or removes pending orders. */
export function addOrderRoutes(router: Router, state: SimulatorState): void {
  const orders = createPendingOrders(state)
  router.get('/orders', ctx => {
    ctx.body = { data: orders.list().map(presentPendingOrder) }
  })
  router.post('/orders/:id/approve', ctx => {
    const response = orders.approve(readPathParam(ctx, 'id'))
    if (!response) throw new ControlApiError(404, 'no such order is pending')
    if (response.status >= 300) throw new ControlApiError(409, 'the provider refused the approval')
    ctx.body = { id: readPathParam(ctx, 'id') }
  })
  router.delete('/orders/:id', ctx => {
    if (!orders.remove(readPathParam(ctx, 'id'))) throw new ControlApiError(404, 'no such order is pending')
    ctx.body = { id: readPathParam(ctx, 'id') }
  })
}

function presentPendingOrder({ id, accountId, cents, key }: WooviPendingOrder) {
  return { id, account: accountId, value: reaisFromCents(cents), key }
}
