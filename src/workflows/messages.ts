import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { ChargeState } from '../domain/charge.ts'

/** What lives are told and asked, shared with the API. */

/** The order that issues a charge; names, documents and references travel sealed. */
export type ChargeOrder = {
  uuid: string
  accountUuid: string
  /** Connections in order of priority, each at a provider account of its own. */
  candidates: string[]
  valueCents: number
  expiresInSeconds: number
  /** ChargeDetails, sealed. */
  details: string
  requestId: string
  timeScale: number
}

/** What of an order must not be read in a history. `amount` is hundredths of a percent, or centavos where FIXED. */
export type ChargeDetails = {
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  splits: { type: 'PERCENTAGE' | 'FIXED'; amount: number; recipientAccountUuid: string }[]
  fingerprint: string
}

/** Wakes an ended charge from its row; it never issues. */
export type ResumedCharge = { resume: string; timeScale: number }

/** Something at a provider changed; the provider is asked what. */
export type ProviderNotice = { noticeUuid: string; connectionUuid: string }
export const providerNotice = defineSignal<[ProviderNotice]>('providerNotice')

/** Answers when the charge has been issued, or cannot be. */
export const ready = defineUpdate<ChargeState>('ready')

export type CancelAnswer = { kind: 'over'; state: ChargeState } | { kind: 'no_answer' }
/** Cancels a pending charge at its provider; answers what came of it. */
export const cancelCharge = defineUpdate<CancelAnswer>('cancelCharge')
