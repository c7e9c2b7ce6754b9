/** What the worker bundles: every life. */
export { chargeWorkflow } from './charge.ts'
export { depositWorkflow } from './deposit.ts'
export { noticeSweepWorkflow } from './notice-sweep.ts'
export { orphanWorkflow } from './orphan.ts'
export { refundWorkflow } from './refund.ts'
export { returnWorkflow } from './return.ts'
export { transferWorkflow } from './transfer.ts'
export { deliveryWorkflow } from './webhook-delivery.ts'
