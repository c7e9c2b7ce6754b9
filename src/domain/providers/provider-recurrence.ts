import type { Frequency, Journey, RetryPolicy } from '../recurrences/recurrence.ts'
import type { ChargeDebtor, NoAnswerResult, NotAcceptedResult, NotFoundResult } from './provider.ts'

/** The account of a payer to which a request for consent is sent; `ispb` is of its bank. */
export type PayerAccount = { ispb: string; agency?: string; account: string }

/** Whom a recurrence debits; `document` is a CPF or CNPJ, upper case. */
export type RecurrenceDebtor = Omit<ChargeDebtor, 'email'>

/** What creating a recurrence at a provider needs. Days are `YYYY-MM-DD`. */
export type ProviderRecurrenceRequest = {
  /** Our id at the provider: the recurrence's uuid without hyphens, by which one is found whose answer is lost. */
  reference: string
  /** What is paid for, as the payer's bank shows it. */
  subject?: string
  /** The address is there where the provider needs it. */
  debtor: RecurrenceDebtor
  frequency: Frequency
  startsOn: string
  endsOn?: string
  /** Of every debit; absent of a variable one. */
  valueCents?: number
  /** Of a variable one: the payer sets no ceiling below it. */
  minimumCents?: number
  retryPolicy: RetryPolicy
  journey: Journey
  /** Our id of the first charge at the provider, for the journeys with one. */
  firstChargeReference?: string
  /** Of the journey REQUEST, for a provider that sends the request for consent with the creation. */
  consentRequest?: Pick<ConsentRequest, 'payerAccount' | 'expiresAt'>
  collectionKey: string | null
}

/** A recurrence as its provider reports it. */
export type ProviderRecurrence = {
  /** The rail's id (idRec). */
  railId: string
  /** `waiting`: for the payer's consent; `received`: the payer's bank has the request for it. */
  status: 'waiting' | 'received' | 'active' | 'rejected' | 'expired' | 'cancelled'
  /** Why it was rejected or cancelled: a code of the rail. */
  code?: string
  /** Who cancelled it, where the provider tells. */
  cancelledBy?: 'payer' | 'receiver'
  /** The code by which the payer consents; null of a request, and while the provider does not show it: it is looked up again. */
  payload: string | null
}

export type CreateRecurrenceOutcome = { kind: 'accepted'; recurrence: ProviderRecurrence } | NotAcceptedResult

/** A recurrence to look up. `railId`: null where the answer to its creation is lost; it is then found by `reference` among those of the debtor. */
export type SentRecurrence = Pick<
  ProviderRecurrenceRequest,
  'reference' | 'debtor' | 'firstChargeReference'
> & {
  railId: string | null
  /** ISO 8601 UTC: it was ordered then or later. */
  orderedAt: string
}
export type FindRecurrenceOutcome =
  | { kind: 'found'; recurrence: ProviderRecurrence }
  | NotFoundResult
  | NoAnswerResult

/** A request for consent, which the payer's bank shows to the payer. `expiresAt`: ISO 8601 UTC. */
export type ConsentRequest = {
  railId: string
  debtorDocument: string
  payerAccount: PayerAccount
  expiresAt: string
}
/** `requested`: the payer's bank has one, of this call or an earlier one. */
export type RequestConsentOutcome = { kind: 'requested' } | NotAcceptedResult

/** `refused`: it cannot be cancelled any more; ask what it is now. */
export type CancelRecurrenceOutcome =
  | { kind: 'cancelled' }
  | { kind: 'refused'; code: string; message: string }
  | NotFoundResult
  | NoAnswerResult
