import type { SimulatedAccounts } from '../../accounts.ts'
import type { SimulatorStore } from '../../store.ts'
import type { OrderRemovedRailEvent } from '../../transfers.ts'

type OrderRemovalDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  onRailEvent: (event: OrderRemovedRailEvent) => void
}
export type PendingOrderKey = { accountId: string; id: string }

/** Removes a pending order, as a person does in Woovi's panel, with a notification; false if there is no such order. */
export function removeWooviOrder(
  { store, accounts, onRailEvent }: OrderRemovalDependencies,
  { accountId, id }: PendingOrderKey,
): boolean {
  return store.inTransaction(() => {
    const isRemoved =
      store.run('DELETE FROM wooviPendingOrder WHERE accountId = ? AND id = ?', accountId, id) > 0
    if (isRemoved) onRailEvent({ kind: 'order_removed', account: accounts.find(accountId)!, id })
    return isRemoved
  })
}
