import { textFromCents } from '../ledger/money.ts'
import { isDocument } from '../pix/document.ts'
import { detectPixKeyType, normalizePixKey } from '../pix-keys/key-format.ts'
import type { ProviderPayout } from '../providers/provider.ts'
import type { OrderDifference } from './order-difference.ts'

/** What a payout was ordered with, as far as a provider may report it back. */
export type OrderedPayout = { cents: number; pixKey?: string; document?: string | null | undefined }

/**
 * Compares what a provider reports under our id with what was ordered (SPEC §6). A key or document that the provider masks, or
 * writes in a form that is none of DICT's, says nothing.
 */
export function findOrderDifference(
  order: OrderedPayout,
  { cents, pixKey, receiver }: Pick<ProviderPayout, 'cents' | 'pixKey' | 'receiver'>,
): OrderDifference | null {
  if (cents !== order.cents) return 'value_differs'
  const isOtherKey = order.pixKey !== undefined && pixKey && isKeyDifferent(order.pixKey, pixKey)
  const document = receiver?.document ?? ''
  const isOtherDocument = order.document && isDocument(document) && document !== order.document
  return isOtherKey || isOtherDocument ? 'receiver_differs' : null
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
