import { createStateMachine } from '../shared/state-machine.ts'

/** Batches: many transfers that are ordered by one request. Each item becomes an ordinary transfer. */

/** Most transfers of one batch. */
export const MAX_BATCH_ITEMS = 5_000

/** ALL_VALID: no further item is started once one has failed. EACH: the failure of an item stops no other. */
export const BATCH_MODES = ['ALL_VALID', 'EACH'] as const
export type BatchMode = (typeof BATCH_MODES)[number]

/** What an item does whose value and fee the available balance does not cover: it waits, or fails. */
export const SHORT_BALANCE_POLICIES = ['WAIT', 'FAIL'] as const
export type ShortBalancePolicy = (typeof SHORT_BALANCE_POLICIES)[number]

export const BATCH_STATUSES = ['DRAFT', 'PROCESSING', 'COMPLETED', 'CANCELLED'] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]

export type BatchState = 'draft' | 'processing' | 'completed' | 'cancelled'
export type BatchEvent = 'approved' | 'completed' | 'cancelled'

/** SPEC §4. `cancelled`: no further item is started; those that were started go on. */
export const batchMachine = createStateMachine<BatchState, BatchStatus, BatchEvent>({
  draft: { status: 'DRAFT', on: { approved: 'processing', cancelled: 'cancelled' } },
  processing: { status: 'PROCESSING', on: { completed: 'completed', cancelled: 'cancelled' } },
  completed: { status: 'COMPLETED', on: {}, isFinal: true },
  cancelled: { status: 'CANCELLED', on: {}, isFinal: true },
})

/** Why a batch is CANCELLED; null where a caller has cancelled it without a reason. */
export type BatchCancelReason = 'item_failed' | 'rejected' | 'approval_expired'

/** `starting`: its transfer is being started, or that was interrupted and is repeated. `started`: the transfer has a row. */
export type BatchItemState = 'pending' | 'starting' | 'started' | 'cancelled'

/** Why the next item of a batch is not started now. */
export type BatchWaitReason =
  | 'approval'
  | 'scheduled'
  | 'account_blocked'
  | 'paused'
  | 'insufficient_balance'
  | 'unfinished_items'
