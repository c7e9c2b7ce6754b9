import type Router from '@koa/router'
import type { SimulatedCharge } from '../charges.ts'
import type { SimulatorState } from '../state.ts'

/** Adds the route that lists every charge with its status at the provider. */
export function addChargeRoutes(router: Router, { store }: SimulatorState): void {
  router.get('/charges', ctx => {
    ctx.body = {
      data: store.all<SimulatedCharge>('SELECT * FROM charge ORDER BY rowid').map(presentSimulatedCharge),
    }
  })
}

/** Presents a charge; `reference` is its correlationID or, at a provider whose callers choose the txid, the txid. */
function presentSimulatedCharge({ accountId, txid, status, details }: SimulatedCharge) {
  const { correlationID } = JSON.parse(details) as { correlationID?: string }
  return { account: accountId, reference: correlationID ?? txid, txid, status }
}
