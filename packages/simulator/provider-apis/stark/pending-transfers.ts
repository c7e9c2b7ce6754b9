import type { SimulatedAccounts } from '../../accounts.ts'
import type { SimulatorStore } from '../../store.ts'
import type { OrderRemovedRailEvent } from '../../transfers.ts'
import { findStarkTransfer } from './transfer-presenters.ts'

type CancelDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  now: () => Date
  onRailEvent: (event: OrderRemovedRailEvent) => void
}

/** Cancels a transfer that waits for a person, with a notification; false if it does not wait. */
export function cancelStarkTransfer(
  { store, accounts, now, onRailEvent }: CancelDependencies,
  { accountId, id }: { accountId: string; id: string },
): boolean {
  return store.inTransaction(() => {
    if (findStarkTransfer(store, accountId, id)?.state !== 'waiting') return false
    store.run(
      `UPDATE starkTransfer SET state = 'canceled', updatedAt = ? WHERE accountId = ? AND transferId = ?`,
      now().toISOString(),
      accountId,
      id,
    )
    onRailEvent({ kind: 'order_removed', account: accounts.find(accountId)!, id })
    return true
  })
}
