import type Router from '@koa/router'
import type { SimulatedAccount } from '../accounts.ts'
import type { Fault, ServedFault } from '../faults.ts'
import { parseControlBody } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import * as schemas from './schemas.ts'

export type FaultRouteDependencies = {
  /** Closes the idle connections of a provider, so that its next request needs a handshake. */
  closeIdleConnections(provider: SimulatedAccount['provider']): void
}

/** Adds the routes of planned faults and of those that took effect. */
export function addFaultRoutes(
  router: Router,
  { faults }: SimulatorState,
  { closeIdleConnections }: FaultRouteDependencies,
): void {
  router.put('/faults', async ctx => {
    const body = await parseControlBody(ctx, schemas.faultBody)
    const { provider, operation = null, account = null, fault, times } = body
    const { delay_ms = null, status = null, body: responseBody, page_size = null } = body
    faults.add({
      provider,
      operation,
      accountId: account,
      fault,
      timesLeft: times,
      delayMs: delay_ms,
      status,
      body:
        responseBody === undefined || typeof responseBody === 'string'
          ? (responseBody ?? null)
          : JSON.stringify(responseBody),
      pageSize: page_size,
    })
    if (fault === 'unreachable') closeIdleConnections(provider)
    ctx.body = { data: faults.list().map(presentFault) }
  })
  router.get('/faults', ctx => {
    ctx.body = { data: faults.list().map(presentFault) }
  })
  router.get('/faults/served', ctx => {
    ctx.body = { data: faults.listServed().map(presentServedFault) }
  })
  router.delete('/faults', ctx => {
    faults.clear()
    ctx.body = { data: [] }
  })
}

function presentFault(planned: Fault) {
  const { provider, operation, accountId, fault, timesLeft, delayMs, status, body, pageSize } = planned
  return {
    provider,
    operation,
    account: accountId,
    fault,
    times: timesLeft,
    delay_ms: delayMs,
    status,
    body,
    page_size: pageSize,
  }
}

function presentServedFault({ accountId, operation, fault, itemId, at }: ServedFault) {
  return { account: accountId, operation, fault, item_id: itemId, at }
}
