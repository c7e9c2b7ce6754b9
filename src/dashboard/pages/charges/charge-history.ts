import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'
import type { PaymentStatus } from '../../../domain/shared/payment-status.ts'

/** Presents the statuses of a charge, in which a refund and a dispute have names of their own. */

/** Status of a charge on a page: that of the API, or what the page calls a charge with a refund or a dispute. */
export type ShownChargeStatus = PaymentStatus | 'DISPUTED' | 'REFUNDING' | 'REFUND_FAILED'

/** Lists the statuses of a charge, the one that needs a person first. */
export function listShownStatuses({
  state,
  disputedCents,
}: Pick<ReadCharge, 'state' | 'disputedCents'>): ShownChargeStatus[] {
  const status = state === 'refunding' ? 'REFUNDING' : chargeMachine.statusOf(state)
  return disputedCents > 0 ? ['DISPUTED', status] : [status]
}

type HistoryEntry = ReadCharge['history'][number]

const PAID_STATUSES: readonly PaymentStatus[] = ['PAID', 'PARTIALLY_REFUNDED']

/** Presents the history of a charge: once it is paid, PROCESSING is a refund, and PAID after it a refund that was not made. */
export function presentChargeHistory(
  history: readonly HistoryEntry[],
): { status: ShownChargeStatus; created_at: string }[] {
  return history.map(({ status, created_at }, index) => {
    const wasPaid = history.slice(0, index).some(earlier => PAID_STATUSES.includes(earlier.status))
    if (wasPaid && status === 'PROCESSING') return { status: 'REFUNDING', created_at }
    return { status: wasPaid && status === 'PAID' ? 'REFUND_FAILED' : status, created_at }
  })
}
