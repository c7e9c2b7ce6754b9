import type Router from '@koa/router'
import type { SimulatedCharge } from '../charges.ts'
import type { SimulatorState } from '../state.ts'

/** Every charge, as its provider has it. */
export function addChargeRoutes(router: Router, { store }: SimulatorState): void {
  router.get('/charges', ctx => {
    ctx.body = {
      data: store.all<SimulatedCharge>('SELECT * FROM charge ORDER BY rowid').map(presentSimulatedCharge),
    }
  })
}

/** `reference`: the id that its caller gave, which is the txid at a provider that takes that from its caller. */
function presentSimulatedCharge({ accountId, txid, status, details }: SimulatedCharge) {
  const { correlationID } = JSON.parse(details) as { correlationID?: string }
  return { account: accountId, reference: correlationID ?? txid, txid, status }
}
