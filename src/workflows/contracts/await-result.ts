import { defineUpdate } from '@temporalio/workflow'

/** Update: completes when a provider has accepted, all have refused, or the order has failed. */
export const awaitResultUpdate = defineUpdate<void>('awaitResult')
