/** How the payout that a provider has under our id differs from the one that was ordered. */
const ORDER_DIFFERENCES = ['value_differs', 'receiver_differs'] as const
export type OrderDifference = (typeof ORDER_DIFFERENCES)[number]

/** Tells whether an unknown outcome of this code means that its provider has an order under our id: no "not found" before it counts. */
export function hasArrived(code: string): boolean {
  return code === 'awaiting_approval' || ORDER_DIFFERENCES.some(difference => difference === code)
}
