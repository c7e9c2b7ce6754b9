import type { SimulatedAccounts } from '../../accounts.ts'
import type { RailEventHandler } from '../../rail-events.ts'
import type { SimulatorStore } from '../../store.ts'

type OrderRemovalDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  onRailEvent: RailEventHandler
}
export type PendingOrderKey = { accountId: string; id: string }

/** Removes a waiting order as a person does in Woovi's panel, and notifies it. False where no such order waits. */
export function removeWooviOrder(
  { store, accounts, onRailEvent: announce }: OrderRemovalDependencies,
  { accountId, id }: PendingOrderKey,
): boolean {
  return store.inTransaction(() => {
    const removed = store.run('DELETE FROM wooviPayment WHERE accountId = ? AND id = ?', accountId, id) > 0
    if (removed) announce({ kind: 'order_removed', account: accounts.find(accountId)!, id })
    return removed
  })
}
