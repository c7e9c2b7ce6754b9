import { defineSearchAttributeKey } from '@temporalio/common'

/** The ids of all lives and the names by which an operator finds them in the Temporal UI. */

export const chargeId = (uuid: string) => `charge/${uuid}`
export const transferId = (uuid: string) => `transfer/${uuid}`
export const refundId = (uuid: string) => `refund/${uuid}`
export const medId = (uuid: string) => `med/${uuid}`
/** A payload that nobody was shown, until its provider has confirmed it gone. */
export const orphanId = (attemptUuid: string) => `orphan/${attemptUuid}`
/** A PIX that is no charge's, on its way back to its payer. */
export const returnId = (movementUuid: string) => `return/${movementUuid}`
/** One that cannot go back, and is kept by an operator's word. */
export const keepId = (movementUuid: string) => `return/${movementUuid}/kept`
/** A PIX that names no charge of ours. */
export const depositId = (connectionUuid: string, endToEnd: string) => `deposit/${connectionUuid}/${endToEnd}`
export const pixKeyId = (uuid: string) => `pix-key/${uuid}`
export const pixKeyRemovalId = (uuid: string) => `pix-key/${uuid}/removal`
/** A code on its way to the address that it proves. */
export const authCodeId = (uuid: string) => `auth-code/${uuid}`
export const deliveryId = (uuid: string) => `webhook/${uuid}`

export const ATTRIBUTES = {
  account: defineSearchAttributeKey('TrilhoAccount', 'KEYWORD'),
  provider: defineSearchAttributeKey('TrilhoProvider', 'KEYWORD'),
  status: defineSearchAttributeKey('TrilhoStatus', 'KEYWORD'),
  externalRef: defineSearchAttributeKey('TrilhoExternalRef', 'KEYWORD'),
  /** `unknown` while a provider has not told for ten minutes what became of money. */
  outcome: defineSearchAttributeKey('TrilhoOutcome', 'KEYWORD'),
  endToEnd: defineSearchAttributeKey('TrilhoEndToEnd', 'KEYWORD'),
  value: defineSearchAttributeKey('TrilhoValueCents', 'INT'),
}

/** The queue of webhook tries beside a worker's main one. */
export const webhookQueue = (taskQueue: string) => `${taskQueue}-webhooks`
