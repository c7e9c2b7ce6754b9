/** What sends money, and may leave nobody knowing whether it went: this an operator's word ends, and nothing else. */
export const MONEY_OUT = ['transfer', 'refund', 'return'] as const
export type MoneyOut = (typeof MONEY_OUT)[number]

/** An attempt as an operator saw it: its uuid, and how often it had been sent by then. */
export type SeenAttempt = { attempt: string; sending: number }
