import type { OrderAuthor } from './order-author.ts'
import type { UnfinishedPayout } from './payouts.ts'

/** Inputs of workflows, which may be started again from their rows or after a restore of the database. */

/**
 * Input of a workflow that is newer than its database, which was restored from a backup (SPEC §11): its row is rebuilt from what
 * providers have by our id. Nothing is issued or sent again.
 */
export type PreRestoreState = {
  /** ISO 8601 UTC: when the operation was ordered. */
  orderedAt: string
  /** Final state of the workflow before the restore, where it had completed. */
  ended?: string | undefined
  /** Failure code, where the history holds one. */
  failure?: string | undefined
  /** The connection that the operation went through, as far as the workflow's history shows. */
  connectionUuid?: string | undefined
  /** A transfer scheduled for later than the pause of money out: no provider was called, so it is sent as ordered. */
  isScheduled?: true
}

/**
 * Reopens a completed workflow from its row: it polls, and never issues or sends. `pendingConnections`: connections with a notification that an
 * earlier run could not resolve. `restored`: the state to write back into the row before anything is polled.
 */
export type ReopenedInput = {
  reopen: string
  timeScale: number
  pendingConnections?: string[]
  restored?: Pick<PreRestoreState, 'ended'>
  unfinished?: UnfinishedPayout
}

/** What the orders of charges, transfers and refunds share. */
export type MoneyOrder = OrderAuthor & {
  uuid: string
  accountUuid: string
  valueCents: number
  requestId: string
  timeScale: number
  restored?: PreRestoreState
}
