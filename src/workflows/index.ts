/** Every workflow that the worker bundles. */

export { chargeWorkflow } from './charges/charge.workflow.ts'
export { orphanWorkflow } from './charges/orphan-payload.workflow.ts'
export { rebuildWorkflow } from './disaster-recovery/rebuild.workflow.ts'
export { disputeWorkflow } from './disputes/dispute.workflow.ts'
export {
  deliverySweepWorkflow,
  disputeSweepWorkflow,
  eventPruningWorkflow,
  eventReplayWorkflow,
  listCountersWorkflow,
  notificationSweepWorkflow,
  reconciliationWorkflow,
  reportScheduleWorkflow,
  workflowSweepWorkflow,
} from './maintenance/maintenance.workflows.ts'
export { authCodeWorkflow, pixKeyRemovalWorkflow, pixKeyWorkflow } from './pix-keys/pix-key.workflows.ts'
export { recurrenceWorkflow } from './recurrences/recurrence.workflow.ts'
export { refundWorkflow } from './refunds/refund.workflow.ts'
export { reportWorkflow } from './reports/report.workflow.ts'
export { transferWorkflow } from './transfers/transfer.workflow.ts'
export { transferBatchWorkflow } from './transfers/transfer-batch.workflow.ts'
export {
  depositReturnWorkflow,
  depositWorkflow,
  keepUnmatchedWorkflow,
  returnWorkflow,
} from './unmatched/unmatched.workflows.ts'
export { passwordResetWorkflow } from './users/password-reset.workflow.ts'
export { deliveryWorkflow } from './webhooks/delivery.workflow.ts'

/**
 * The SDK records for every promise of a workflow where it was made, for the Call Stack of the Temporal UI, and looks each frame
 * up in the source map: a third of a workflow's CPU. The first is its own; with fewer than four it does not know what
 * `Promise.race` makes by itself, and shows that too.
 */
Error.stackTraceLimit = 4
