import { defineUpdate } from '@temporalio/workflow'
import type { ChargeState } from '../../domain/charges/charge.ts'
import type { DocumentMatch, PayerKind } from '../../domain/charges/payer-restriction.ts'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import type { ChargeDebtor } from '../../domain/providers/provider.ts'
import type { FollowUps, MoneyOrder } from './orders.ts'

/** The order that issues a charge; names, documents and references travel sealed. */
export type ChargeInput = MoneyOrder & {
  /** Connections in order of priority, each at a provider account of its own. */
  candidates: string[]
  expiresInSeconds: number
  /** `ChargeInputDetails`, sealed. */
  details: string
}

/** The part of an order that no history may show in plain text. */
export type ChargeInputDetails = {
  externalRef?: string
  finalBeneficiary?: { name: string; document: string }
  debtor?: ChargeDebtor
  /** Only the debtor may pay. */
  isSenderVerified?: boolean
  payerKind?: PayerKind
  payerMatch?: DocumentMatch
  splits: ChargeSplit[]
  fingerprint: string
}

/** Update: completes when the charge has been issued or has failed. */
export const awaitIssuedUpdate = defineUpdate<ChargeState>('awaitIssued')

export type CancelChargeResult = { kind: 'closed'; state: ChargeState } | { kind: 'no_answer' }
/** Update: cancels a pending charge at its provider; returns the outcome. */
export const cancelChargeUpdate = defineUpdate<CancelChargeResult>('cancelCharge')

/** State of a charge after issuing. `orphans`: attempts with a payload at the provider that must be cancelled. */
export type IssueChargeResult = FollowUps & {
  state: ChargeState
  connectionUuid: string
  /** ISO 8601 UTC; null where no provider issued a payload, and of a static code. */
  expiresAt: string | null
  /** It is a static code of ours: no provider has it, so that none is polled. */
  isStatic?: true
  orphans: string[]
}

export type ChargeSnapshot = Pick<IssueChargeResult, 'state' | 'expiresAt' | 'isStatic'> & {
  cancelRequested: boolean
}

/** `isPayloadExpired`: the payload is invalid, so a provider that reports it unpaid makes the charge EXPIRED. */
export type PollChargeInput = { chargeUuid: string; isPayloadExpired: boolean }

/** State of a charge after its provider was polled. */
export type PollChargeResult =
  /** `listedPaymentCount`: number of payments of the charge that the provider lists; absent where they were not requested. */
  | (FollowUps & { kind: 'known'; state: ChargeState; listedPaymentCount?: number })
  /**
   * The provider gave no outcome: the workflow polls again. Payments that it listed are recorded. `settleWindowMs`: "not found"
   * after an unanswered cancellation, which may have removed the charge.
   */
  | (Partial<FollowUps> & { kind: 'no_answer'; state: ChargeState; code: string; settleWindowMs?: number })

/** `isAbsenceProved`: "not found" after the settle window and a minute later prove that the provider has removed the charge. */
export type CancelChargeInput = { chargeUuid: string; isAbsenceProved?: boolean }

export type OrphanInput = { attemptUuid: string; timeScale: number }

/** `isFinalPoll`: the settle window has passed and no poll found the payload, so "not found" is now proof. */
export type CloseOrphanInput = { attemptUuid: string; isFinalPoll: boolean }

/** Outcome of closing an orphan: a payload that the API has never shown. */
export type CloseOrphanResult =
  | (FollowUps & { kind: 'closed' })
  /** The provider does not find the payload, which proves nothing before the settle window has passed. */
  | { kind: 'not_found'; settleWindowMs: number }
  | { kind: 'no_answer'; code: string }
