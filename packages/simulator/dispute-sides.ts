import type { SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import type { Receipts } from './receipts.ts'
import { computeReceiptRefundableCents, type SimulatedRefunds } from './refunds.ts'
import { type SimulatedReturns, sumReturns } from './returns.ts'
import { SETTLED_OUTCOME } from './scripted-outcome.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfers } from './transfers.ts'

type DisputeSideDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  receipts: Receipts
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  transfers: SimulatedTransfers
  ids: IdGenerator
}
/** A simulated account of a disputed PIX: its recipient, or its sender, who requests the money back. */
export type DisputeSide = { accountId: string; side: 'received' | 'requested'; cents: number }

/**
 * Finds the simulated accounts of a disputed PIX: its recipient, its sender, or both. An account that sent to itself
 * is only the recipient.
 */
export function findDisputeSides(
  { store, transfers }: Pick<DisputeSideDependencies, 'store' | 'transfers'>,
  endToEnd: string,
): DisputeSide[] {
  const received = store.all<DisputeSide>(
    `SELECT accountId, 'received' AS side, cents FROM receipt WHERE endToEnd = ?`,
    endToEnd,
  )
  const transfer = transfers.findByEndToEnd(endToEnd)
  const isToItself = received.some(({ accountId }) => accountId === transfer?.accountId)
  if (transfer?.status !== 'settled' || isToItself) return received
  return [...received, { accountId: transfer.accountId, side: 'requested', cents: transfer.cents }]
}

/**
 * Returns the money of an accepted dispute. A simulated recipient returns up to its balance, and the return of the rest
 * fails: no more follows. With an empty balance the refund is accepted and then rejected. Any other recipient returns the whole
 * amount.
 */
export function returnDisputedMoney(
  { accounts, receipts, refunds, returns, transfers, ids }: DisputeSideDependencies,
  disputes: (DisputeSide & { endToEnd: string })[],
): void {
  const received = disputes.find(({ side }) => side === 'received')
  if (!received) {
    const { endToEnd, cents } = disputes[0]!
    const transfer = transfers.findByEndToEnd(endToEnd)!
    const unreturnedCents = transfer.cents - sumReturns(returns.listReturns(transfer))
    returns.creditReturn({ endToEnd, cents: Math.min(cents, unreturnedCents), nature: 'MED_FRAUDE' })
    return
  }
  const { accountId, endToEnd } = received
  const receipt = receipts.find(accountId, endToEnd)!
  const refundable = computeReceiptRefundableCents(receipt, refunds.listByReceipt(receipt))
  const claimedCents = Math.min(received.cents, refundable)
  const cents = Math.min(claimedCents, accounts.find(accountId)!.balanceCents) || claimedCents
  if (cents > 0)
    refunds.accept({
      accountId,
      endToEnd,
      id: ids.token(),
      cents,
      outcome: SETTLED_OUTCOME,
      nature: 'MED_FRAUDE',
    })
  const restCents = received.cents - cents
  if (restCents > 0) refunds.refuse({ accountId, endToEnd, id: ids.token(), cents: restCents })
}
