/** Every workflow that the worker bundles. */
export { authCodeWorkflow } from './auth-code.ts'
export { chargeWorkflow } from './charge.ts'
export { depositWorkflow } from './deposit.ts'
export { deliverySweepWorkflow, eventPruningWorkflow, recoveryWorkflow } from './event-housekeeping.ts'
export { keepWorkflow } from './keep.ts'
export { medWorkflow } from './med.ts'
export { medSweepWorkflow } from './med-sweep.ts'
export { noticeSweepWorkflow } from './notice-sweep.ts'
export { orphanWorkflow } from './orphan.ts'
export { pixKeyRemovalWorkflow, pixKeyWorkflow } from './pix-key.ts'
export { reconciliationWorkflow } from './reconciliation.ts'
export { refundWorkflow } from './refund.ts'
export { returnWorkflow } from './return.ts'
export { tallyWorkflow } from './tally.ts'
export { transferWorkflow } from './transfer.ts'
export { deliveryWorkflow } from './webhook-delivery.ts'
export { workflowSweepWorkflow } from './workflow-sweep.ts'

/**
 * The SDK records for every promise of a workflow where it was made, for the Call Stack of the Temporal UI, and looks each frame
 * up in the source map: a third of a workflow's CPU. The first is its own; with fewer than four it does not know what
 * `Promise.race` makes by itself, and shows that too.
 */
Error.stackTraceLimit = 4
