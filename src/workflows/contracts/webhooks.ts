import { defineSignal } from '@temporalio/workflow'
import type { DeliveryOutcome } from '../../domain/webhooks/delivery.ts'

/** Returns the task queue of webhook deliveries, which every worker polls in addition to its main one. */
export const webhookTaskQueueOf = (taskQueue: string) => `${taskQueue}-webhooks`

export type AttemptDeliveryInput = {
  deliveryUuid: string
  timeScale: number
  /** Wait before the workflow's first attempt, not divided by the time scale: an attempt was made before it started. */
  firstWaitMs?: number
}
export type AttemptDeliveryResult =
  | { kind: 'closed'; outcome: DeliveryOutcome }
  /** `waitMs`: not divided by `TRILHO_TIME_SCALE` yet. */
  | { kind: 'again'; waitMs: number }

/** A delivery that is still open, and the wait before its workflow's first attempt. */
export type OpenDelivery = Pick<AttemptDeliveryInput, 'deliveryUuid' | 'firstWaitMs'>
export type FirstAttemptsResult = { open: OpenDelivery[] }

/** Signals that the row of a delivery was changed: its workflow reads it at once. */
export const deliveryChangedSignal = defineSignal('deliveryChanged')

/**
 * Input of a replay: the events of the endpoint's account and mode from `since` until `until`, after the cursor
 * `after`. Times are ISO 8601.
 */
export type ReplayEventsInput = {
  webhookUuid: string
  since: string
  until: string
  after?: EventCursor
  recovered?: number
}
export type EventCursor = { at: string; uuid: string }
