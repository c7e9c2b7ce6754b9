import type { BalanceComparison } from '../../domain/reconciliation/statement-comparison.ts'

/** Workflows that schedules start. */

export const DELIVERY_SWEEP_WORKFLOW = 'deliverySweepWorkflow'
export const EVENT_PRUNING_WORKFLOW = 'eventPruningWorkflow'
export const NOTIFICATION_SWEEP_WORKFLOW = 'notificationSweepWorkflow'
export const LIST_COUNTERS_WORKFLOW = 'listCountersWorkflow'
export const DISPUTE_SWEEP_WORKFLOW = 'disputeSweepWorkflow'
export const WORKFLOW_SWEEP_WORKFLOW = 'workflowSweepWorkflow'
export const REPORT_SCHEDULE_WORKFLOW = 'reportScheduleWorkflow'
export const RECONCILIATION_WORKFLOW = 'reconciliationWorkflow'
export type ReconciliationWorkflowSignature = (input: ReconciliationInput) => Promise<ReconcileResult[]>

/** How far back, in hours. */
export type ReconciliationInput = { hours: number }

export type ReconcileInput = { providerAccountUuid: string; from: string; to: string }

/** Result of comparing one provider account's statement with the ledger. */
export type ReconcileResult = {
  providerAccountUuid: string
  matched: number
  /** Number of entries routed to their workflows, because their provider notification was lost. */
  repaired: number
  differences: number
  /** Number of entries that moved without an order of ours and were posted from the statement by this run. */
  booked?: number
  /** Number of entries other than PIX that nothing explains yet. */
  unexplainedEntryCount?: number
  /** Balance at the provider and in the ledger, in centavos; absent where the provider did not answer. */
  balance?: BalanceComparison
  /** Why the statement was not compared: no answer of the provider, no configured connection, or an interrupted activity. */
  noAnswer?: string
  /** Why the disputes were not listed: the code of the provider's missing answer. */
  disputesNoAnswer?: string
}

/** `notReopened`: rows that are left to the operator. `replaced`: workflows whose history did not replay. */
export type SweepWorkflowsResult = {
  checked: number
  reopened: number
  notReopened: number
  replaced: number
}
