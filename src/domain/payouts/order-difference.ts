/** How the payout that a provider has under our id differs from the one that was ordered. */
export type OrderDifference = 'value_differs' | 'receiver_differs'

/** Why no outcome can be taken from an answer about a payout; `not_recordable`: PostgreSQL refuses its data. */
export type UnusableAnswerCode = OrderDifference | 'not_recordable'

const ARRIVED_CODES = {
  awaiting_approval: true,
  value_differs: true,
  receiver_differs: true,
  not_recordable: true,
} as const satisfies Record<UnusableAnswerCode | 'awaiting_approval', true>

/** Tells whether an unknown outcome of this code means that its provider has an order under our id: no "not found" before it counts. */
export function hasArrived(code: string): boolean {
  return Object.hasOwn(ARRIVED_CODES, code)
}
