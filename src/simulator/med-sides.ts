import type { Accounts } from './accounts.ts'
import { SETTLES } from './events.ts'
import type { Ids } from './ids.ts'
import type { Med } from './meds.ts'
import type { Receipts } from './receipts.ts'
import type { Refunds } from './refunds.ts'
import { type Returns, sumOf } from './returns.ts'
import type { Sendings } from './sendings.ts'
import type { Store } from './store.ts'

type Parts = {
  store: Store
  accounts: Accounts
  receipts: Receipts
  refunds: Refunds
  returns: Returns
  sendings: Sendings
  ids: Ids
}
type Side = Pick<Med, 'accountId' | 'side' | 'cents'>

/**
 * Whose PIX it is: the recipient's, the sender's, or both where both are simulated. An account that has sent to itself
 * has received it.
 */
export function sidesOf({ store, sendings }: Pick<Parts, 'store' | 'sendings'>, endToEnd: string): Side[] {
  const received = store.all<Side>(
    `SELECT accountId, 'received' AS side, cents FROM receipt WHERE endToEnd = ?`,
    endToEnd,
  )
  const sending = sendings.ofEndToEnd(endToEnd)
  const isWithin = received.some(({ accountId }) => accountId === sending?.accountId)
  if (sending?.status !== 'settled' || isWithin) return received
  return [...received, { accountId: sending.accountId, side: 'requested', cents: sending.cents }]
}

/**
 * The recipient's provider returns the money by itself, up to what is there; without any the return is not carried out,
 * and told so. What a stranger received comes back whole.
 */
export function giveBack({ accounts, receipts, refunds, returns, sendings, ids }: Parts, meds: Med[]): void {
  const received = meds.find(({ side }) => side === 'received')
  if (!received) {
    const { endToEnd, cents } = meds[0]!
    const sending = sendings.ofEndToEnd(endToEnd)!
    const left = sending.cents - sumOf(returns.of(sending))
    returns.take({ endToEnd, cents: Math.min(cents, left), nature: 'MED_FRAUDE' })
    return
  }
  const { accountId, endToEnd } = received
  const receipt = receipts.find(accountId, endToEnd)!
  const given = receipts.refundsOf(receipt).filter(({ status }) => status !== 'rejected')
  const left = given.reduce((cents, refund) => cents - refund.cents, receipt.cents)
  const asked = Math.min(received.cents, left)
  if (asked === 0) return
  const cents = Math.min(asked, accounts.find(accountId)!.balanceCents) || asked
  const id = ids.token()
  refunds.accept({ accountId, endToEnd, id, cents, fate: SETTLES, nature: 'MED_FRAUDE' })
}
