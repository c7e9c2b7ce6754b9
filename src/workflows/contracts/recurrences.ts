import { defineUpdate } from '@temporalio/workflow'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import type { PayerAccount, RecurrenceDebtor } from '../../domain/providers/provider-recurrence.ts'
import type { RecurrenceState, RecurrenceTerms } from '../../domain/recurrences/recurrence.ts'
import type { ChargeInput } from './charges.ts'
import type { FollowUps, OrderAuthor } from './orders.ts'

/** The order of a recurrence; the payer travels sealed. */
export type RecurrenceInput = OrderAuthor & {
  uuid: string
  accountUuid: string
  /** Connections in order of priority, each at a provider that has the journey. */
  candidates: string[]
  /** `RecurrenceInputDetails`, sealed. */
  details: string
  /** Of a journey with one. It is issued first: the provider that issues it is that of the recurrence. */
  firstCharge?: ChargeInput
  requestId: string
  timeScale: number
}

/** The part of an order that no history may show in plain text. */
export type RecurrenceInputDetails = {
  terms: RecurrenceTerms
  debtor: RecurrenceDebtor
  /** Both of the journey REQUEST alone. `requestExpiresAt`: ISO 8601 UTC. */
  payerAccount?: PayerAccount
  requestExpiresAt?: string
  externalRef?: string
  splits: ChargeSplit[]
  metadata?: Record<string, string>
  fingerprint: string
}

export type CancelRecurrenceResult = { kind: 'closed'; state: RecurrenceState } | { kind: 'no_answer' }
/** Update: cancels a recurrence at its provider; returns the outcome. */
export const cancelRecurrenceUpdate = defineUpdate<CancelRecurrenceResult>('cancelRecurrence')

/** State of a recurrence, and what its workflow does next. */
export type RecurrenceSnapshot = FollowUps & {
  state: RecurrenceState
  connectionUuid: string
  /** Connections at which it may have been created, while it is `creating`; else empty. */
  tried: string[]
  /** Its journey has a first charge. */
  hasFirstCharge: boolean
  cancelRequested: boolean
  /** The payer's bank has no request for consent yet, and one is to be sent. */
  isRequestDue: boolean
  /** ISO 8601 UTC: when the charge of the next cycle is created; null where the worker creates none. */
  nextCreationAt: string | null
  /** It is over, and debits of it are not. */
  hasOpenDebits: boolean
  /** ISO 8601 UTC: the end of its last day, after which a poll ends it; null where it has no end. */
  endsAt: string | null
}

/** `order`: absent where the workflow was reopened from its row. */
export type IssueFirstChargeInput = { uuid: string; order?: ChargeInput }
/** The connection at which the first charge is issued; null where it cannot be paid. */
export type IssueFirstChargeResult = { connectionUuid: string | null }

/** `isAbsenceProved`: look-ups have proved that no earlier request has created it there. */
export type CreateRecurrenceInput = { uuid: string; connectionUuid: string; isAbsenceProved?: boolean }

export type CreateRecurrenceResult =
  /** It is created, or is not being created any more. */
  | (RecurrenceSnapshot & { kind: 'known' })
  /** This provider has not created it: the next one may. */
  | { kind: 'refused' }
  /** The request left no worker, and another worker reaches the provider. */
  | { kind: 'not_started' }
  /** The provider may have created it: only a look-up can tell. */
  | { kind: 'unknown'; code: string }

export type LookUpRecurrenceResult =
  | (RecurrenceSnapshot & { kind: 'known' })
  | { kind: 'not_found' }
  | { kind: 'unknown'; code: string }

/** State of a recurrence after a call to its provider. */
export type PollRecurrenceResult =
  | (RecurrenceSnapshot & { kind: 'known' })
  | { kind: 'no_answer'; code: string }

/** The charge of a cycle, where it is due to be created; `cycle` is its number. */
export type PrepareCycleResult = RecurrenceSnapshot & { charge?: { cycle: number; order: ChargeInput } }
export type RecordCycleInput = { uuid: string; cycle: number }
