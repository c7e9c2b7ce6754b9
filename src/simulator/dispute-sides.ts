import type { SimulatedAccounts } from './accounts.ts'
import type { SimulatedDispute } from './disputes.ts'
import type { IdGenerator } from './ids.ts'
import { SETTLED_OUTCOME } from './rail-events.ts'
import type { Receipts } from './receipts.ts'
import type { SimulatedRefunds } from './refunds.ts'
import { type SimulatedReturns, sumReturns } from './returns.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedTransfers } from './transfers.ts'

type DisputeSideDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  receipts: Receipts
  refunds: SimulatedRefunds
  returns: SimulatedReturns
  sendings: SimulatedTransfers
  ids: IdGenerator
}
type DisputeSide = Pick<SimulatedDispute, 'accountId' | 'side' | 'cents'>

/**
 * Whose PIX it is: the recipient's, the sender's, or both where both are simulated. An account that has sent to itself
 * has received it.
 */
export function findDisputeSides(
  { store, sendings }: Pick<DisputeSideDependencies, 'store' | 'sendings'>,
  endToEnd: string,
): DisputeSide[] {
  const received = store.all<DisputeSide>(
    `SELECT accountId, 'received' AS side, cents FROM receipt WHERE endToEnd = ?`,
    endToEnd,
  )
  const sending = sendings.findByEndToEnd(endToEnd)
  const isWithin = received.some(({ accountId }) => accountId === sending?.accountId)
  if (sending?.status !== 'settled' || isWithin) return received
  return [...received, { accountId: sending.accountId, side: 'requested', cents: sending.cents }]
}

/**
 * The recipient's provider returns the money by itself, up to what is there; without any the return is not carried out,
 * and told so. What a stranger received comes back whole.
 */
export function returnDisputedMoney(
  { accounts, receipts, refunds, returns, sendings, ids }: DisputeSideDependencies,
  meds: SimulatedDispute[],
): void {
  const received = meds.find(({ side }) => side === 'received')
  if (!received) {
    const { endToEnd, cents } = meds[0]!
    const sending = sendings.findByEndToEnd(endToEnd)!
    const left = sending.cents - sumReturns(returns.listReturns(sending))
    returns.creditReturn({ endToEnd, cents: Math.min(cents, left), nature: 'MED_FRAUDE' })
    return
  }
  const { accountId, endToEnd } = received
  const receipt = receipts.find(accountId, endToEnd)!
  const given = receipts.listRefunds(receipt).filter(({ status }) => status !== 'rejected')
  const left = given.reduce((cents, refund) => cents - refund.cents, receipt.cents)
  const asked = Math.min(received.cents, left)
  if (asked === 0) return
  const cents = Math.min(asked, accounts.find(accountId)!.balanceCents) || asked
  const id = ids.token()
  refunds.accept({ accountId, endToEnd, id, cents, outcome: SETTLED_OUTCOME, nature: 'MED_FRAUDE' })
}
