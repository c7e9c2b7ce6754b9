import type { ReadCharge } from '../../../db/repositories/charges.ts'
import { chargeMachine } from '../../../domain/charges/charge.ts'

/** What a customer sees of a charge: nothing of the account but its name and the text that the merchant chose. */
export function presentPayable(
  charge: ReadCharge,
  { merchant, text }: { merchant: string; text: string | null | undefined },
) {
  const status = charge.state === 'refunding' ? 'REFUNDING' : chargeMachine.statusOf(charge.state)
  return {
    status,
    merchant,
    text: text || null,
    /** Null where the payer chooses the amount. */
    amountCents: charge.valueCents === 0 && charge.totalCents === 0 ? null : charge.totalCents,
    payload: status === 'PENDING' ? charge.payload : null,
    expiresAt: charge.expiresAt ?? null,
    paidAt: charge.paidAt ?? null,
    moves: ['UNDEFINED', 'PENDING', 'PROCESSING'].includes(status),
  }
}
