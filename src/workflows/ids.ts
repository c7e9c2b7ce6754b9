import { defineSearchAttributeKey } from '@temporalio/common'

/** Workflow ids, and the search attributes by which an operator finds workflows in the Temporal UI. */

export const chargeId = (uuid: string) => `charge/${uuid}`
export const transferId = (uuid: string) => `transfer/${uuid}`
export const refundId = (uuid: string) => `refund/${uuid}`
export const medId = (uuid: string) => `med/${uuid}`
/** Cancels a payload that no payer was shown, until its provider confirms. */
export const orphanId = (attemptUuid: string) => `orphan/${attemptUuid}`
/** Returns an unmatched PIX to its payer. */
export const returnId = (movementUuid: string) => `return/${movementUuid}`
/** Keeps an unmatched PIX that cannot be returned, by an operator's decision. */
export const keepId = (movementUuid: string) => `return/${movementUuid}/kept`
/** Records a received PIX that names no charge of ours. */
export const depositId = (connectionUuid: string, endToEnd: string) => `deposit/${connectionUuid}/${endToEnd}`
export const pixKeyId = (uuid: string) => `pix-key/${uuid}`
export const pixKeyRemovalId = (uuid: string) => `pix-key/${uuid}/removal`
/** Sends a verification code to the address that it proves. */
export const authCodeId = (uuid: string) => `auth-code/${uuid}`
export const deliveryId = (uuid: string) => `webhook/${uuid}`

export const ATTRIBUTES = {
  account: defineSearchAttributeKey('TrilhoAccount', 'KEYWORD'),
  provider: defineSearchAttributeKey('TrilhoProvider', 'KEYWORD'),
  status: defineSearchAttributeKey('TrilhoStatus', 'KEYWORD'),
  externalRef: defineSearchAttributeKey('TrilhoExternalRef', 'KEYWORD'),
  /** `unknown` where the outcome of a payout has been unknown for ten minutes. */
  outcome: defineSearchAttributeKey('TrilhoOutcome', 'KEYWORD'),
  endToEnd: defineSearchAttributeKey('TrilhoEndToEnd', 'KEYWORD'),
  value: defineSearchAttributeKey('TrilhoValueCents', 'INT'),
}

/** Task queue of webhook deliveries, beside a worker's main one. */
export const webhookQueue = (taskQueue: string) => `${taskQueue}-webhooks`
