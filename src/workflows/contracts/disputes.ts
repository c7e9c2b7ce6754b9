import { defineUpdate } from '@temporalio/workflow'
import type { AttachmentType } from '../../domain/disputes/attachment.ts'
import type { DisputeState, DisputeType } from '../../domain/disputes/dispute.ts'
import type { FollowUps, OrderAuthor } from './orders.ts'

/**
 * Input of a dispute's workflow, by the provider's id of the dispute. It opens, reopens and answers: the workflow polls the
 * provider, and finds its row or writes it.
 */
export type DisputeInput = {
  uuid: string
  /** A connection that reaches the provider: the one that a notification came through, or that of the disputed PIX. */
  connectionUuid: string
  /** Null of one that an account requests: it is known by its PIX until its provider has accepted the request. */
  providerDisputeId: string | null
  /** End-to-end id of the disputed PIX, where it is known. */
  endToEnd: string | null
  /** An earlier run received a notification, and its provider has not answered since. */
  hasPendingNotification?: true
  /** Of one that an account requests: its order, from which the row is written. */
  request?: DisputeRequestOrder
  requestId: string
  timeScale: number
}

/** The order of an account that wants the money of a transfer back. */
export type DisputeRequestOrder = OrderAuthor & {
  accountUuid: string
  transferUuid: string
  /** `DisputeRequestDetails`, sealed. */
  details: string
}
export type DisputeRequestDetails = { disputeType: DisputeType; details: string; fingerprint: string }

/** State of a dispute, and the details that its workflow shows to an operator. */
export type DisputeSnapshot = FollowUps & {
  state: DisputeState
  accountUuid: string
  connectionUuid: string
  endToEnd: string
  valueCents: number
  /** ISO 8601 UTC. */
  dueAt: string
  /** Whether the merchant can still reply, and so is warned before the deadline. */
  isAnswerable: boolean
  warnedHours: number | null
  /** A reply is stored that the provider has not confirmed yet. */
  isReplyPending: boolean
  /** Whether the account can still withdraw its request, and whether it has asked for that; both absent in histories of before. */
  isCancellable?: boolean
  isCancelRequested?: boolean
}

export type PollDisputeResult =
  | (DisputeSnapshot & { kind: 'known' })
  /** The provider does not find the dispute. */
  | { kind: 'not_found' }
  /** The dispute has ended at the provider, and its PIX has no movement. */
  | { kind: 'foreign' }
  | { kind: 'no_answer'; code: string }

/** A merchant's reply; it travels sealed. */
export type DisputeReplyDetails = {
  accept: boolean
  analysis: string
  /** Files that are in the file store already. */
  attachments: {
    uuid: string
    name: string
    contentType: AttachmentType
    bytes: number
    storageKey: string
  }[]
}

export type ReplyToDisputeInput = {
  /** DisputeReplyDetails, sealed. */
  details: string
  /** Id of the reply, which all requests with its Idempotency-Key share. */
  requestId: string
  /** X-Request-Id of the one request that this is. */
  sentBy: string
}
/** `accepted`: the dispute shows PROCESSING and the reply is sent to the provider. */
export type ReplyToDisputeResult = 'accepted' | 'med_already_answered' | 'med_not_answerable'
/** Update: completes when the reply is stored, once only, or refused. */
export const replyToDisputeUpdate = defineUpdate<ReplyToDisputeResult, [ReplyToDisputeInput]>(
  'replyToDispute',
)

/** `no_answer`: the provider has not answered, and is asked again. `closed`: the row shows whether it is cancelled. */
export type CancelDisputeResult = 'closed' | 'no_answer'
/** Update: cancels what the account has requested, at its provider. */
export const cancelDisputeUpdate = defineUpdate<CancelDisputeResult>('cancelDispute')

export type SendDisputeReplyResult = DisputeSnapshot & { kind: 'closed' | 'again' }
