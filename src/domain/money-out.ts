/** What sends money, and may leave nobody knowing whether it went: this an operator's word ends, and nothing else. */
export const MONEY_OUT = ['transfer', 'refund', 'return'] as const
export type MoneyOut = (typeof MONEY_OUT)[number]
