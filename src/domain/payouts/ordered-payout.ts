import { textFromCents } from '../ledger/money.ts'
import { isDocument } from '../pix/document.ts'
import { isIspb } from '../pix/ispb.ts'
import { detectPixKeyType, normalizePixKey } from '../pix-keys/key-format.ts'
import type { ProviderPayout } from '../providers/provider.ts'
import { type TransferDestination, toDestinationColumns } from '../transfers/transfer-destination.ts'
import type { OrderDifference } from './order-difference.ts'

/** What a payout was ordered with, as far as a provider may report it back. `destination`: of a transfer. */
export type OrderedPayout = { cents: number; destination?: TransferDestination }

/**
 * Compares what a provider reports under our id with what was ordered (SPEC §6). A key, document or bank that the
 * provider masks, or writes in a form that is not the rail's, says nothing.
 */
export function findOrderDifference(
  order: OrderedPayout,
  { cents, pixKey, receiver }: Pick<ProviderPayout, 'cents' | 'pixKey' | 'receiver'>,
): OrderDifference | null {
  const { destination } = order
  if (cents !== order.cents) return 'value_differs'
  if (!destination) return null
  const document = receiver?.document ?? ''
  const orderedDocument = toDestinationColumns(destination).document
  const isOtherDocument = orderedDocument && isDocument(document) && document !== orderedDocument
  return isOtherDocument || isPlaceDifferent(destination, { pixKey, receiver }) ? 'receiver_differs' : null
}

/** Tells whether a provider reports another key than the ordered one, or another bank than that of the ordered account. */
function isPlaceDifferent(
  destination: TransferDestination,
  { pixKey, receiver }: Pick<ProviderPayout, 'pixKey' | 'receiver'>,
): boolean {
  switch (destination.kind) {
    case 'key':
    case 'code':
      return Boolean(pixKey) && isKeyDifferent(destination.pixKey, pixKey!)
    case 'account': {
      const ispb = receiver?.bank.ispb ?? ''
      return isIspb(ispb) && ispb !== destination.account.bank.ispb
    }
  }
}

/** Describes a difference for the operator. */
export function describeOrderDifference(
  difference: OrderDifference,
  order: OrderedPayout,
  payout: Pick<ProviderPayout, 'cents'>,
): string {
  return difference === 'value_differs'
    ? `The provider reports ${textFromCents(payout.cents)} under our id, ordered were ${textFromCents(order.cents)}`
    : 'The provider reports another receiver under our id than the one that was ordered'
}

function isKeyDifferent(orderedKey: string, reported: string): boolean {
  const key = normalizePixKey(reported)
  if (key === orderedKey || detectPixKeyType(key) === null) return false
  // A phone may be reported without the code of its country.
  return detectPixKeyType(orderedKey) !== 'PHONE' || orderedKey !== `+55${key}`
}
