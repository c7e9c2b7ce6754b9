/** Operations that send money. Only their unknown outcomes can be settled manually by an operator. */
export const MONEY_OUT = ['transfer', 'refund', 'return'] as const
export type MoneyOut = (typeof MONEY_OUT)[number]

/** An attempt as the operator's page showed it: its uuid, and how often it had been sent. */
export type SeenAttempt = { attempt: string; sending: number }
