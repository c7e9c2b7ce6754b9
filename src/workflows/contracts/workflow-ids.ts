import { defineSearchAttributeKey } from '@temporalio/common'

/** Workflow ids, and the search attributes by which an operator finds workflows in the Temporal UI. */

export const chargeWorkflowId = (uuid: string) => `charge/${uuid}`
export const transferWorkflowId = (uuid: string) => `transfer/${uuid}`
export const refundWorkflowId = (uuid: string) => `refund/${uuid}`
export const disputeWorkflowId = (uuid: string) => `med/${uuid}`
/** Cancels a payload that no payer was shown, until its provider confirms. */
export const orphanWorkflowId = (attemptUuid: string) => `orphan/${attemptUuid}`
/** Returns an unmatched PIX to its payer. */
export const returnWorkflowId = (movementUuid: string) => `return/${movementUuid}`
/** Keeps an unmatched PIX that cannot be returned, by an operator's decision. */
export const keepUnmatchedWorkflowId = (movementUuid: string) => `return/${movementUuid}/kept`
/** Records a received PIX that names no charge of ours. */
export const depositWorkflowId = (connectionUuid: string, endToEnd: string) =>
  `deposit/${connectionUuid}/${endToEnd}`
export const pixKeyWorkflowId = (uuid: string) => `pix-key/${uuid}`
export const pixKeyRemovalWorkflowId = (uuid: string) => `pix-key/${uuid}/removal`
/** Sends a verification code to the address that it proves. */
export const verificationCodeWorkflowId = (uuid: string) => `auth-code/${uuid}`
export const deliveryWorkflowId = (uuid: string) => `webhook/${uuid}`

export const SEARCH_ATTRIBUTES = {
  account: defineSearchAttributeKey('TrilhoAccount', 'KEYWORD'),
  provider: defineSearchAttributeKey('TrilhoProvider', 'KEYWORD'),
  status: defineSearchAttributeKey('TrilhoStatus', 'KEYWORD'),
  externalRef: defineSearchAttributeKey('TrilhoExternalRef', 'KEYWORD'),
  /** `unknown` where the outcome of a payout has been unknown for ten minutes. */
  outcome: defineSearchAttributeKey('TrilhoOutcome', 'KEYWORD'),
  endToEnd: defineSearchAttributeKey('TrilhoEndToEnd', 'KEYWORD'),
  value: defineSearchAttributeKey('TrilhoValueCents', 'INT'),
}

/** Returns the task queue of webhook deliveries, which every worker polls in addition to its main one. */
export const webhookTaskQueueOf = (taskQueue: string) => `${taskQueue}-webhooks`
