import type { ChargeState } from '../../src/domain/charge.ts'
import type { MedKind, MedState } from '../../src/domain/med.ts'
import type { RefundState } from '../../src/domain/refund.ts'
import type { TransferState } from '../../src/domain/transfer.ts'
import type { ShownMed, StatementLine } from '../../src/simulator/client.ts'
import type { Asked } from './asking.ts'

/** One reply to a dispute, as its provider was told it. */
export type Reply = ShownMed['replies'][number]

/** All that is looked at when a storm is over: our rows, the far side's books, who runs, what was heard. Money in centavos. */
export type World = {
  /** The rail's own record of what settled, by provider account. */
  lines: Line[]
  /** What the far side holds for each provider account of ours. */
  holdings: { providerAccount: string; cents: number }[]
  /** Each side of a dispute that an account of ours has, as its provider holds it. */
  contested: { id: string; providerAccount: string; status: ShownMed['status']; replies: Reply[] }[]
  /** What providers say of the payloads that no merchant was shown. */
  unseen: { attempt: string; status: 'open' | 'closed' | 'no_answer' }[]

  charges: Charge[]
  splits: {
    charge: string
    status: 'PENDING' | 'CREDITED' | 'FAILED'
    cents: number
    askedBackCents: number
  }[]
  transfers: Transfer[]
  refunds: { uuid: string; charge: string; state: RefundState; cents: number; partsCents: number }[]
  meds: Med[]
  movements: Movement[]
  attempts: {
    uuid: string
    operation: string
    subject: string
    state: string
    providerAccount: string
    /** The id that the provider was given. */
    reference: string
  }[]
  /** Items of no documented shape that the far side listed, by the end-to-end ids that they name. */
  oddItems: { id: string; providerAccount: string; mustBeKept: boolean }[]
  /** The answers and items that were kept because no document explains them, as they came. */
  kept: string[]
  /** The sum of all postings of a movement, where it is not zero. */
  unbalanced: { movement: string; cents: number }[]
  buckets: Bucket[]

  /** Where each account's endpoints are in the far side's inbox; they were there before everything else. */
  endpoints: { account: string; inbox: string }[]
  events: Event[]
  /** What each endpoint of an account heard and answered with success. */
  deliveries: { uuid: string; event: string; inbox: string; status: string }[]
  /** What came to the endpoints, whatever they answered. */
  heard: { inbox: string; event: string; data: unknown }[]
  /** Notices that no life has taken. */
  waitingNotices: string[]

  /** The ids of the workflows that run. */
  running: string[]
  /** Workflows whose history the workflow code does not reproduce. */
  unreplayed: { workflowId: string; error: string }[]
  /** The ids among those asked for without an answer that have a life, over or not. */
  begun: string[]
  asked: Asked[]
  /** Each charge, transfer and refund as its GET shows it; absent: it does not answer. */
  shown: Map<string, Shown>
}

export type Line = {
  providerAccount: string
  kind: StatementLine['kind']
  /** The id that we sent. */
  id: string | null
  /** Null of what is no PIX. */
  endToEnd: string | null
  original: string | null
  cents: number
}
type Charge = {
  uuid: string
  account: string
  state: ChargeState
  endToEnd: string | null
  valueCents: number
  feeCents: number
  receivedCents: number
  refundingCents: number
  refundedCents: number
  disputedCents: number
  externalRef: string | null
  history: string[]
}
type Transfer = {
  uuid: string
  account: string
  state: TransferState
  cents: number
  heldCents: number
  returnedCents: number
  externalRef: string | null
  history: string[]
}
type Med = {
  uuid: string
  account: string
  providerAccount: string
  /** Its provider's id of it. */
  id: string
  kind: MedKind
  state: MedState
  charge: string | null
  /** What it keeps from refunds, and what it has of that. */
  claimedCents: number
  heldCents: number
  retainedCents: number
  returnedCents: number
  /** How many replies we took. */
  replies: number
  history: string[]
}
export type Movement = {
  uuid: string
  account: string
  providerAccount: string
  type: string
  direction: 'IN' | 'OUT'
  cents: number
  status: 'PENDING' | 'SETTLED' | 'FAILED'
  endToEnd: string | null
  charge: string | null
  transfer: string | null
  refund: string | null
  original: string | null
  med: string | null
  reason: string | null
  disposition: string | null
}
type Bucket = {
  account: string
  providerAccount: string
  bucket: string
  cents: number
  /** The sum of its postings. */
  foldCents: number
}
export type Event = {
  uuid: string
  account: string
  type: 'PAYMENT' | 'TRANSFER' | 'REFUND' | 'PIX_TRANSACTION' | 'MED'
  subject: string
  sequence: number
  data: Shown
}
// biome-ignore lint/suspicious/noExplicitAny: a resource as it is shown.
export type Shown = any

/** A rule that does not hold, and where. */
export type Violation = { rule: string; where: string; detail: string }
