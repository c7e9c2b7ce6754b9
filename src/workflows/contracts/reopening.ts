import type { OrderAuthor } from './order-author.ts'
import type { UnfinishedPayout } from './payouts.ts'

/**
 * Reopens a completed workflow from its row: it polls, and never issues or sends. `pendingConnections`: connections with a
 * notification that an earlier run could not resolve. `unfinished`: the payout was interrupted before it was final, and is
 * looked up at these connections.
 */
export type ReopenedInput = {
  reopen: string
  timeScale: number
  pendingConnections?: string[]
  unfinished?: UnfinishedPayout
}

/** What the orders of charges, transfers and refunds share. */
export type MoneyOrder = OrderAuthor & {
  uuid: string
  accountUuid: string
  valueCents: number
  requestId: string
  timeScale: number
}
