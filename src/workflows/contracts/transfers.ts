import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { RemainingWait } from '../../domain/approvals/approval.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import type { TransferLookup } from '../../domain/transfers/transfer-lookup.ts'
import type { FollowUps, MoneyOrder } from './orders.ts'
import type { Continuation, SendPayoutInput, TransferSnapshot } from './payouts.ts'

/** The order that sends money; key, document, names and references travel sealed. */
export type TransferInput = MoneyOrder & {
  /** Connections in order of priority; after continue-as-new, the one whose outcome is unknown and those after it. */
  candidates: string[]
  /** `TransferInputDetails`, sealed. */
  details: string
  /** ISO 8601 UTC: sent from then on, and not before. */
  scheduledFor?: string
  /** ISO 8601 UTC by PostgreSQL's clock: a row that is stored later is stored FAILED, and no provider is called. */
  acceptBefore?: string
  /** The batch that it is an item of. */
  batchUuid?: string
  /** Persons have approved it with its batch. */
  isApproved?: true
  continuation?: Continuation
}

export type TransferInputDetails = {
  destination: TransferDestination
  lookup?: TransferLookup
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  /** The order is meant, though one like it was ordered a moment ago. */
  allowDuplicate?: true
  fingerprint: string
}

/** Update: cancels a scheduled transfer; false where it has been sent already. */
export const cancelTransferUpdate = defineUpdate<boolean>('cancelTransfer')

/** Signal: persons have decided about the transfer; the decision is in PostgreSQL. */
export const approvalDecidedSignal = defineSignal('approvalDecided')

/** State of a transfer, whose latest attempt the workflow polls. */
export type TransferResult = FollowUps & TransferSnapshot

/** A transfer that waits, or has waited, for its approvals. */
export type HeldTransferResult = TransferResult & Partial<RemainingWait>

/** Input of the activity that asks the merchant's server about a transfer or batch that waits. */
export type RequestCalloutInput = { subjectUuid: string }

/** Input of a sending. `order`: where the row may not exist yet; the sending stores it with its first attempt. */
export type SendTransferInput = SendPayoutInput & { order?: TransferInput }

/** `unlessPaused`: the transfer stays scheduled while one of these connections is paused. */
export type EndScheduledTransferInput = {
  uuid: string
  event: 'cancelled' | 'never_sent'
  unlessPaused?: string[]
}

/**
 * Result of ending a transfer. `liveConnectionUuid`: connection of an attempt that is not final. A paused worker may
 * start a sending that Temporal has already timed out: the workflow polls that attempt to its end before the transfer
 * ends.
 */
export type EndTransferResult = TransferResult & { liveConnectionUuid?: string }
