import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { ChargeState } from '../../domain/charges/charge.ts'
import type { AttachmentType } from '../../domain/disputes/attachment.ts'
import type { AttemptVersion } from '../../domain/payouts/payout-kind.ts'

/** Inputs, signals and updates of workflows, shared with the API. */

/**
 * Input of a workflow that is newer than its database, which was restored from a backup (SPEC §11): its row is rebuilt from what
 * providers have by our id. Nothing is issued or sent again.
 */
export type PreRestoreState = {
  /** ISO 8601 UTC: when it was ordered. */
  orderedAt: string
  /** Final state of the workflow before the restore, where it had completed. */
  ended?: string
  /** Failure code, where the history holds one. */
  failure?: string
  /** The connection that carried it, as far as the workflow's history shows. */
  connectionUuid?: string
  /** It was scheduled for later than the pause of money out, so no provider was called: it continues as ordered. */
  isScheduled?: true
}

/** Input of the next run after continue-as-new, while a provider's outcome is still unknown. */
export type Continuation = {
  /** ISO 8601 UTC: when it was ordered. */
  orderedAt: string
}

/** The order that issues a charge; names, documents and references travel sealed. */
export type ChargeInput = {
  uuid: string
  accountUuid: string
  /** Connections in order of priority, each at a provider account of its own. */
  candidates: string[]
  valueCents: number
  expiresInSeconds: number
  /** `ChargeInputDetails`, sealed. */
  details: string
  requestId: string
  timeScale: number
  restored?: PreRestoreState
}

/** The part of an order that no history may show in plain text. `amount` is hundredths of a percent, or centavos where FIXED. */
export type ChargeInputDetails = {
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  splits: { type: 'PERCENTAGE' | 'FIXED'; amount: number; recipientAccountUuid: string }[]
  fingerprint: string
}

/**
 * Reopens a completed workflow from its row: it polls, and never issues or sends. `pendingConnections`: connections with a notification that an
 * earlier run could not resolve. `restored`: the state to write back into the row before anything is polled.
 */
export type ReopenedInput = {
  reopen: string
  timeScale: number
  pendingConnections?: string[]
  restored?: PreRestoreState
  unfinished?: UnfinishedPayout
}

/** An unfinished row that lost its workflow: the candidates that may have its money are polled. `orderedAt`: ISO 8601 UTC. */
export type UnfinishedPayout = { candidates: string[]; orderedAt: string }

/** Signals that something changed at a provider, which is then polled. */
export type ProviderNotificationSignal = {
  notificationUuid: string
  connectionUuid: string
  /** It was received a moment ago. Absent for one that the sweep routes later. */
  isNew?: true
  /** It is about money that the recipient of a transfer returned. */
  isAboutReturn?: true
}
export const providerNotificationSignal = defineSignal<[ProviderNotificationSignal]>('providerNotification')

/** Update: completes when the charge has been issued or has failed. */
export const awaitIssuedUpdate = defineUpdate<ChargeState>('awaitIssued')

export type CancelChargeResult = { kind: 'closed'; state: ChargeState } | { kind: 'no_answer' }
/** Update: cancels a pending charge at its provider; returns the outcome. */
export const cancelChargeUpdate = defineUpdate<CancelChargeResult>('cancelCharge')

/** The order that refunds a charge; `fingerprint` is of the request that asked for it. */
export type RefundInput = {
  uuid: string
  chargeUuid: string
  accountUuid: string
  /** The connection that received the PIX: a refund goes nowhere else. */
  connectionUuid: string
  valueCents: number
  fingerprint: string
  /** Without a key: ISO 8601, by PostgreSQL's clock; stored later, it is FAILED and no provider is called. */
  acceptBefore?: string
  requestId: string
  timeScale: number
  restored?: PreRestoreState
  continuation?: Continuation
}

/** The order that sends money; key, document, names and references travel sealed. */
export type TransferInput = {
  uuid: string
  accountUuid: string
  /** Connections in order of priority; after continue-as-new, the one whose outcome is unknown and those after it. */
  candidates: string[]
  valueCents: number
  /** `TransferInputDetails`, sealed. */
  details: string
  /** ISO 8601 UTC: sent from then on, and not before. */
  scheduledFor?: string
  /** ISO 8601 UTC by PostgreSQL's clock: a row that is stored later is stored FAILED, and no provider is called. */
  acceptBefore?: string
  requestId: string
  timeScale: number
  restored?: PreRestoreState
  /**
   * `candidates`: all of the order, because money may have gone through any of them. `pendingConnections`: those with a notification that an
   * earlier run received and has not resolved.
   */
  continuation?: Continuation & { candidates: string[]; pendingConnections?: string[] }
}

export type TransferInputDetails = {
  pixKey: string
  document?: string
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  fingerprint: string
}

/** Update: completes when a provider has accepted, all have refused, or the order has failed. */
export const awaitResultUpdate = defineUpdate<void>('awaitResult')

/** Update: cancels a scheduled transfer; false where it has been sent already. */
export const cancelTransferUpdate = defineUpdate<boolean>('cancelTransfer')

/**
 * Manual settlement of an attempt with unknown outcome, with the operator's reason. It applies to the attempt and sending that it
 * names, and to no other.
 */
export type ManualSettlement = AttemptVersion &
  ({ as: 'rejected'; reason: string } | { as: 'settled'; endToEnd: string; reason: string })
export const manualSettlementSignal = defineSignal<[ManualSettlement]>('manualSettlement')

/** The unmatched PIX that an operator keeps; `sending`: how often its return had been sent when the operator looked. */
export type KeepUnmatchedInput = { uuid: string; sending: number }

/**
 * Input of a dispute's workflow, by the provider's id of the dispute. It opens, reopens and answers: the workflow polls the
 * provider, and finds its row or writes it.
 */
export type DisputeInput = {
  uuid: string
  /** A connection that reaches the provider: the one that a notification came through, or that of the disputed PIX. */
  connectionUuid: string
  providerDisputeId: string
  /** End-to-end id of the disputed PIX, where it is known. */
  endToEnd: string | null
  /** An earlier run received a notification, and its provider has not answered since. */
  hasPendingNotification?: true
  requestId: string
  timeScale: number
}

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
  requestId: string
}
/** `accepted`: the dispute shows PROCESSING and the reply is sent to the provider. */
export type ReplyToDisputeResult = 'accepted' | 'med_already_answered' | 'med_not_answerable'
/** Update: completes when the reply is stored, once only, or refused. */
export const replyToDisputeUpdate = defineUpdate<ReplyToDisputeResult, [ReplyToDisputeInput]>(
  'replyToDispute',
)

/** Signals that the row of a delivery was changed: its workflow reads it at once. */
export const deliveryChangedSignal = defineSignal('deliveryChanged')
