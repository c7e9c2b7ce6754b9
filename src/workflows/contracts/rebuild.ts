import type { ChargeInput } from './charges.ts'
import type { FollowUps } from './orders.ts'
import type { PixKeyInput } from './pix-keys.ts'
import type { RecurrenceInput } from './recurrences.ts'
import type { RefundInput } from './refunds.ts'
import type { TransferInput } from './transfers.ts'
import type { ReturnPaymentInput } from './unmatched.ts'

/** Rebuilding an operation whose workflow is newer than its row, after a backup of the database was restored (SPEC §11). */

/**
 * Type of the workflow that rebuilds an operation. It runs under the id of the operation's own workflow, so that only one of
 * the two runs, and continues as new as that one.
 */
export const REBUILD_WORKFLOW = 'rebuildWorkflow'

/** What the histories of an operation's workflow prove about it. */
export type PreRestoreState = {
  /** ISO 8601 UTC: when the operation was ordered. */
  orderedAt: string
  /** Final state of the workflow before the restore, where it had completed. */
  ended?: string | undefined
  /** Failure code, where the history holds one. */
  failure?: string | undefined
  /** The connection that the operation went through, as far as the workflow's history shows. */
  connectionUuid?: string | undefined
  /** The connection whose provider had accepted or settled the payout: "not found" there proves nothing. */
  acceptedByUuid?: string | undefined
  /** A transfer scheduled for later than the pause of money out: no provider was called, so it is sent as ordered. */
  isScheduled?: true
}

/** An operation that is rebuilt: its original order, and what is known of it. */
export type RebuiltOperation = { restored: PreRestoreState } & (
  | { noun: 'charge'; order: ChargeInput }
  | { noun: 'transfer'; order: TransferInput }
  | { noun: 'refund'; order: RefundInput }
  | { noun: 'return'; order: ReturnPaymentInput }
  | { noun: 'recurrence'; order: RecurrenceInput }
  | { noun: 'pix_key'; order: PixKeyInput }
)

/** Input of the workflow that rebuilds an operation. */
export type RebuildInput = { rebuild: RebuiltOperation; timeScale: number }

/** Result of rebuilding the rows of an operation; `unknown` until providers answer, or the rows that it depends on are rebuilt. */
export type RebuildResult =
  | { kind: 'unknown'; code: string }
  /** `isEnded`: the operation is in a final state. `orphans`: attempts with a payload to be cancelled. */
  | (Partial<FollowUps> & {
      kind: 'known'
      state: string
      isEnded: boolean
      connectionUuid?: string
      orphans?: string[]
    })
