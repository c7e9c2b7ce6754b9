import type Router from '@koa/router'
import { reaisFromCents } from '../../domain/ledger/money.ts'
import { createPendingOrders, type WooviPendingOrder } from '../provider-apis/woovi/transfers.ts'
import { ControlApiError, readPathParam } from '../request.ts'
import type { SimulatorState } from '../state.ts'

/** What a person does in a provider's panel with the orders that wait for an approval there. */
export function addOrderRoutes(router: Router, world: SimulatorState): void {
  const orders = createPendingOrders(world)
  router.get('/orders', ctx => {
    ctx.body = { data: orders.list().map(presentPendingOrder) }
  })
  router.post('/orders/:id/approve', ctx => {
    const answer = orders.approve(readPathParam(ctx, 'id'))
    if (!answer) throw new ControlApiError(404, 'no such order waits')
    if (answer.status >= 300) throw new ControlApiError(409, 'the provider refuses to carry it out')
    ctx.body = { id: readPathParam(ctx, 'id') }
  })
  router.delete('/orders/:id', ctx => {
    if (!orders.remove(readPathParam(ctx, 'id'))) throw new ControlApiError(404, 'no such order waits')
    ctx.body = { id: readPathParam(ctx, 'id') }
  })
}

function presentPendingOrder({ id, accountId, cents, key }: WooviPendingOrder) {
  return { id, account: accountId, value: reaisFromCents(cents), key }
}
