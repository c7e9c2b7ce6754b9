import { defineUpdate } from '@temporalio/workflow'

/** Who has ordered an operation, stored with its row: one of them, and neither where a provider reported it. */
export type OrderAuthor = {
  /** Number of the API token whose request ordered it. */
  tokenNumber?: number
  /** The user of the dashboard. */
  userUuid?: string
}

/** Connections to poll for a payout that was interrupted before it was final. `orderedAt`: ISO 8601 UTC. */
export type UnfinishedPayout = { candidates: string[]; orderedAt: string }

/**
 * Reopens a completed workflow from its row: it polls, and never issues or sends. `pendingConnections`: connections with a
 * notification that an earlier run could not resolve. `unfinished`: the payout was interrupted before it was final, and is
 * looked up at these connections. `isRebuilt`: its rows were rebuilt from the workflow's history before this run. `isUnsent`: a return
 * that left no worker; it is sent where the poll shows that it has not settled meanwhile.
 */
export type ReopenedInput = {
  reopen: string
  timeScale: number
  pendingConnections?: string[]
  unfinished?: UnfinishedPayout
  isRebuilt?: true
  isUnsent?: true
}

/** What the orders of charges, transfers and refunds share. */
export type MoneyOrder = OrderAuthor & {
  uuid: string
  accountUuid: string
  valueCents: number
  requestId: string
  timeScale: number
}

/** Lists the connections that an order may go through, the first one first: of a refund or return the one that received the PIX. */
export function listCandidates(order: { candidates: string[] } | { connectionUuid: string }): string[] {
  return 'candidates' in order ? order.candidates : [order.connectionUuid]
}

/** The order of an account that returns a deposit to its payer; `fingerprint` is of the request that asked for it. */
export type DepositReturnInput = OrderAuthor & {
  uuid: string
  depositUuid: string
  accountUuid: string
  /** The connection that received the PIX. */
  connectionUuid: string
  requestId: string
  fingerprint: string
  /** Acceptance deadline, as of a refund. */
  acceptBefore?: string
  timeScale: number
}

/** Follow-ups of a transaction: the deliveries to attempt, and the returns whose workflows are to be started after it. */
export type FollowUps = {
  deliveries: string[]
  returns: { uuid: string; connectionUuid: string; order?: DepositReturnInput }[]
}

/** Update: completes when a provider has accepted, all have refused, the order waits for its turn, or has failed. */
export const awaitResultUpdate = defineUpdate<void>('awaitResult')
