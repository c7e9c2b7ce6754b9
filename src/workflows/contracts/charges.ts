import { defineUpdate } from '@temporalio/workflow'
import type { ChargeState } from '../../domain/charges/charge.ts'
import type { DueTerms } from '../../domain/charges/due-terms.ts'
import type { DocumentMatch, PayerKind } from '../../domain/charges/payer-restriction.ts'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import type { AdditionalInfo, AutomaticDebit, ChargeDebtor } from '../../domain/providers/provider.ts'
import type { FollowUps, MoneyOrder, OrderAuthor } from './orders.ts'

/** The order that issues a charge; names, documents and references travel sealed. */
export type ChargeInput = MoneyOrder & {
  /** Connections in order of priority, each at a provider account of its own. */
  candidates: string[]
  /** Without effect where the details have a due date, and of a debit. */
  expiresInSeconds: number
  /** It debits the payer of a recurrence, at the one candidate where that is. */
  debit?: DebitOrder
  /** `ChargeInputDetails`, sealed. */
  details: string
}

/** The debit of a cycle; `feeCents`: the payer's fee on top of the value, which the payer has authorized where the value is fixed. */
export type DebitOrder = Pick<AutomaticDebit, 'railId' | 'dueOn'> & {
  recurrenceUuid: string
  cycle: number
  feeCents: number
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
  due?: DueTerms
  message?: string
  additionalInfo?: AdditionalInfo[]
  metadata?: Record<string, string>
  splits: ChargeSplit[]
  fingerprint: string
}

/** Update: completes when the charge has been issued or has failed. */
export const awaitIssuedUpdate = defineUpdate<ChargeState>('awaitIssued')

export type CancelChargeResult = { kind: 'closed'; state: ChargeState } | { kind: 'no_answer' }
/** Update: cancels a pending charge at its provider; returns the outcome. */
export const cancelChargeUpdate = defineUpdate<CancelChargeResult>('cancelCharge')

/** The order of a revision; what it asks travels sealed. `uuid`: that of its request. */
export type ChargeRevisionOrder = OrderAuthor & {
  uuid: string
  requestId: string
  /** `ChargeRevisionDetails`, sealed. */
  details: string
}

/** What a revision changes: at least one of value, due date and message; or, of a debit, the day of a retry. */
export type ChargeRevisionDetails = {
  valueCents?: number
  due?: DueTerms
  message?: string
  retryOn?: string
  fingerprint: string
}

/** `closed`: the provider has accepted or refused the revision, or the charge cannot be revised any more; its row says which. */
export type ReviseChargeResult = { kind: 'closed'; state: ChargeState } | { kind: 'no_answer' }
/** Update: revises a pending charge with a due date at its provider. A repeat with the uuid of an order joins it. */
export const reviseChargeUpdate = defineUpdate<ReviseChargeResult, [ChargeRevisionOrder]>('reviseCharge')

/** `order`: absent where its revision was stored by an earlier call. `isPayloadExpired` as in `PollChargeInput`. */
export type ReviseChargeInput = {
  chargeUuid: string
  revisionUuid: string
  order?: ChargeRevisionOrder
  isPayloadExpired: boolean
}

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

/** `isAbsenceProved`: look-ups have proved that no earlier request has made the debit. */
export type IssueDebitInput = { order: ChargeInput; isAbsenceProved?: boolean }

export type IssueDebitResult =
  | (IssueChargeResult & { kind: 'closed' })
  /** The provider may have made the debit, or was not reached: it is looked up, and requested again by the same id. */
  | { kind: 'again'; code: string }
  /** The provider refuses a repeated request and does not find the debit; absent, it has failed. */
  | { kind: 'not_found'; settleWindowMs: number }

export type ChargeSnapshot = Pick<IssueChargeResult, 'state' | 'expiresAt' | 'isStatic'> & {
  cancelRequested: boolean
  /** A revision that its provider has not answered. */
  openRevision?: string
}

/** `isPayloadExpired`: the payload is invalid, so a provider that reports it unpaid makes the charge EXPIRED. */
export type PollChargeInput = { chargeUuid: string; isPayloadExpired: boolean }

/** State of a charge after its provider was polled. */
export type PollChargeResult =
  /**
   * `listedPaymentCount`: number of payments of the charge that the provider lists; absent where they were not requested. `valueCents` and
   * `expiresAt`: the value of the charge after a revision, and the expiry of its payload, ISO 8601 UTC.
   */
  | (FollowUps & {
      kind: 'known'
      state: ChargeState
      listedPaymentCount?: number
      valueCents?: number
      expiresAt?: string
    })
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
