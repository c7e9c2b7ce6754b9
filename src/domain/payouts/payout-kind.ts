/** Operations that send money. Only their unknown outcomes can be settled manually by an operator. */
export const PAYOUT_KINDS = ['transfer', 'refund', 'return'] as const
export type PayoutKind = (typeof PAYOUT_KINDS)[number]

/** An attempt as the operator's page showed it: its uuid, and how often it had been sent. */
export type AttemptVersion = { attempt: string; sending: number }
