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

/** The order that refunds a charge; `fingerprint` is of the request that asked for it. */
export type RefundOrder = {
  uuid: string
  chargeUuid: string
  accountUuid: string
  /** The connection that received the PIX: a refund goes nowhere else. */
  connectionUuid: string
  valueCents: number
  fingerprint: string
  requestId: string
  timeScale: number
}

/** The order that sends money; key, document, names and references travel sealed. */
export type TransferOrder = {
  uuid: string
  accountUuid: string
  /** Connections in order of priority. */
  candidates: string[]
  valueCents: number
  /** TransferDetails, sealed. */
  details: string
  /** ISO 8601 UTC: sent from then on, and not before. */
  scheduledFor?: string
  /** ISO 8601 UTC by PostgreSQL's clock: a life that would store its row later stores it FAILED and calls nobody. */
  takeBefore?: string
  requestId: string
  timeScale: number
}

export type TransferDetails = {
  pixKey: string
  document?: string
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  fingerprint: string
}

/** Wakes an ended transfer or refund from its row: a late word of its provider. */
export type Resumed = { resume: string; timeScale: number }

/** Answers when a refund or transfer was accepted, refused by all, or cannot be sent. */
export const answered = defineUpdate<void>('answered')

/** Cancels a waiting transfer; false where it has been sent already. */
export const cancelTransfer = defineUpdate<boolean>('cancelTransfer')

/** What an operator found out about money whose provider cannot tell; the reason is kept with the attempt. */
export type OperatorsWord =
  | { as: 'rejected'; reason: string }
  | { as: 'settled'; endToEnd: string; reason: string }
export const operatorSettles = defineSignal<[OperatorsWord]>('operatorSettles')
