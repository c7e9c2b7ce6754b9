import { defineSignal } from '@temporalio/workflow'
import type { AttemptVersion } from '../../domain/providers/attempt.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'
import type { FollowUps, UnfinishedPayout } from './orders.ts'

/** Shared by the workflows of payouts: transfers, refunds and returns of an unmatched PIX. */

/**
 * `isResend`: the payout's absence at the provider is proved, so the same id may be sent once more. `maxTurnWaitMs`: the longest time
 * that the payout may wait for its turn in the pace of the provider; absent where it may not.
 */
export type SendPayoutInput = {
  uuid: string
  connectionUuid: string
  isResend: boolean
  maxTurnWaitMs?: number
}

/** Outcome of a payout at one provider, after sending or polling. */
export type SendResult =
  /** `returnsUnknown`: the look-up of its returns failed. `transfer`: its state, for a transfer. */
  | (FollowUps & { kind: 'settled'; returnsUnknown?: true; transfer?: TransferSnapshot })
  | { kind: 'in_process' }
  /** `canRetry`: the ledger's balance was too low, so the provider was not called and may be later. */
  | (FollowUps & { kind: 'rejected'; code: string; finality: 'other_may_help' | 'final'; canRetry?: true })
  | (FollowUps & { kind: 'unreachable'; code: string })
  /**
   * The request could not leave this worker, and another worker reaches the provider, or the order was confirmed while its
   * worker did not send it: nothing was sent, the money stays held, and the workflow sends through the same connection again.
   */
  | { kind: 'not_connected' }
  /**
   * The pace of the provider left no room for the call: nothing was sent, the money stays held, and the workflow sends through the same
   * connection again after this time.
   */
  | { kind: 'paced'; retryAfterMs: number }
  /** The provider may have carried the payout out: only this provider is polled, by our id. */
  | { kind: 'unknown'; code: string }
  /** Another attempt is live, at this connection: the workflow polls that one. */
  | { kind: 'redirect'; connectionUuid: string }

/** State of a transfer and the connection of its latest attempt. */
export type TransferSnapshot = { state: TransferState; connectionUuid: string }

/**
 * `pollCount`: number of earlier polls, which decides the time of the next one. `canAnswerFromRow`: a final outcome is
 * answered from the attempt's row; a notification or a late look-up polls the provider in any case.
 */
export type PollPayoutInput = {
  uuid: string
  connectionUuid: string
  pollCount: number
  canAnswerFromRow?: boolean
}

export type PollResult =
  | SendResult
  | { kind: 'not_found'; settleWindowMs: number }
  /** No attempt was stored, or its request could not leave the worker: nothing was sent. */
  | { kind: 'not_started' }

/**
 * Manual settlement of an attempt with unknown outcome, with the operator's reason. It applies to the attempt and sending that it
 * names, and to no other. `merchantText`: what the merchant reads about a rejection; the reason is for operators only.
 */
export type ManualSettlement = AttemptVersion &
  (
    | { as: 'rejected'; reason: string; merchantText?: string }
    | { as: 'settled'; endToEnd: string; reason: string }
  )
export const manualSettlementSignal = defineSignal<[ManualSettlement]>('manualSettlement')

/** What the next run after continue-as-new learns of the earlier ones, while a provider's outcome is still unknown. */
export type Continuation = {
  /** ISO 8601 UTC: when the payout was ordered. */
  orderedAt: string
  /** Of a transfer: all of the order, because money may have gone through any of them. */
  candidates?: string[]
  /** Of a transfer: no result of an earlier run proves that the row exists. */
  isUnstored?: true
  /** Connections with a notification that an earlier run received and has not resolved. */
  pendingConnections?: string[]
}

/** `isFinalPoll`: absence is proved at all candidates, so a last "not found" closes the payout. */
export type PayoutLookUp = { pollCount: number; isFinalPoll: boolean }

export type LookUpPayoutInput = PayoutLookUp & UnfinishedPayout & { uuid: string }

/** Result of a look-up. The money is held for this connection; an operator may settle the payout there. */
export type LookUpPayoutResult =
  | { kind: 'found'; connectionUuid: string }
  | { kind: 'not_found'; connectionUuid: string; settleWindowMs: number }
  | { kind: 'unknown'; code: string; connectionUuid: string }
  /** The payout was never sent. */
  | RejectedSendResult

export type RejectedSendResult = Extract<SendResult, { kind: 'rejected' }>
