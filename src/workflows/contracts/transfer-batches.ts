import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { BatchState, BatchWaitReason } from '../../domain/transfers/transfer-batch.ts'
import type { FollowUps } from './orders.ts'

/** Input of the workflow of a batch, whose order is in its rows. `pollCount`: polls of unfinished items by earlier runs. */
export type TransferBatchInput = { uuid: string; timeScale: number; pollCount?: number }

/** Update: cancels a batch. False where it had ended otherwise. */
export const cancelBatchUpdate = defineUpdate<boolean>('cancelBatch')

/** Update: completes when the workflow has applied what was decided about a DRAFT batch, or waits for more. */
export const applyDecisionUpdate = defineUpdate<void>('applyDecision')

/** Signal: the row of the batch has changed, so its next step is due. */
export const batchChangedSignal = defineSignal('batchChanged')

export type AdvanceBatchInput = { uuid: string; pollCount: number }

/**
 * Result of a step of a batch. `startedCount`: items that it started. `next`: whether another step follows at once, after a wait, or
 * never. `isCalloutDue`: the merchant's server is to be asked about a DRAFT batch meanwhile.
 */
export type AdvanceBatchResult = FollowUps & {
  state: BatchState
  startedCount: number
  next:
    | { kind: 'step' }
    | { kind: 'wait'; waitMs: number; reason: BatchWaitReason; isCalloutDue?: true }
    | { kind: 'end' }
}
