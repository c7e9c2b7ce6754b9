import type { ChargeState } from '../../src/domain/charges/charge.ts'
import type { DisputeKind, DisputeState } from '../../src/domain/disputes/dispute.ts'
import type { RefundState } from '../../src/domain/refunds/refund.ts'
import type { TransferState } from '../../src/domain/transfers/transfer.ts'
import type { SimulatedDisputeView, StatementLine } from '../../src/simulator/control/client.ts'
import type { RequestRecord } from './merchant-requests.ts'

/** One reply to a dispute, as its provider was told it. */
export type ProviderDisputeReply = SimulatedDisputeView['replies'][number]

/** All that is looked at when a storm is over: our rows, the far side's books, who runs, what was heard. Money in centavos. */
export type FinalState = {
  /** The rail's own record of what settled, by provider account. */
  lines: ProviderStatementLine[]
  /** What the far side holds for each provider account of ours. */
  holdings: { providerAccount: string; cents: number }[]
  /** Each side of a dispute that an account of ours has, as its provider holds it. */
  disputesAtProvider: {
    id: string
    providerAccount: string
    status: SimulatedDisputeView['status']
    replies: ProviderDisputeReply[]
  }[]
  /** What providers say of the payloads that no merchant was shown. */
  undisclosedPayloads: { attempt: string; status: 'open' | 'closed' | 'no_answer' }[]

  charges: ChargeRow[]
  splits: {
    charge: string
    status: 'PENDING' | 'CREDITED' | 'FAILED'
    cents: number
    askedBackCents: number
  }[]
  transfers: TransferRow[]
  refunds: { uuid: string; charge: string; state: RefundState; cents: number; partsCents: number }[]
  disputes: DisputeRow[]
  movements: MovementRow[]
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
  undocumentedItems: { id: string; providerAccount: string; mustBeKept: boolean }[]
  /** The answers and items that were kept because no document explains them, as they came. */
  unexplainedAnswers: string[]
  /** The sum of all postings of a movement, where it is not zero. */
  unbalancedMovements: { movement: string; cents: number }[]
  buckets: BucketRow[]

  /** Where each account's endpoints are in the far side's inbox; they were there before everything else. */
  endpoints: { account: string; inbox: string }[]
  events: EventRow[]
  /** What each endpoint of an account heard and answered with success. */
  deliveries: { uuid: string; event: string; inbox: string; status: string }[]
  /** What came to the endpoints, whatever they answered. */
  receivedDeliveries: { inbox: string; event: string; data: unknown }[]
  /** Notices that no life has taken. */
  unroutedNotifications: string[]

  /** The ids of the workflows that run. */
  runningWorkflowIds: string[]
  /** Workflows whose history the workflow code does not reproduce. */
  failedReplays: { workflowId: string; error: string }[]
  /** The ids among those asked for without an answer that have a life, over or not. */
  startedWorkflowIds: string[]
  requests: RequestRecord[]
  /** Each charge, transfer and refund as its GET shows it; absent: it does not answer. */
  resources: Map<string, ApiResource>
}

export type ProviderStatementLine = {
  providerAccount: string
  kind: StatementLine['kind']
  /** The id that we sent. */
  id: string | null
  /** Null of what is no PIX. */
  endToEnd: string | null
  original: string | null
  cents: number
}
type ChargeRow = {
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
type TransferRow = {
  uuid: string
  account: string
  state: TransferState
  cents: number
  heldCents: number
  returnedCents: number
  externalRef: string | null
  history: string[]
}
type DisputeRow = {
  uuid: string
  account: string
  providerAccount: string
  /** Its provider's id of it. */
  id: string
  kind: DisputeKind
  state: DisputeState
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
export type MovementRow = {
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
type BucketRow = {
  account: string
  providerAccount: string
  bucket: string
  cents: number
  /** The sum of its postings. */
  foldCents: number
}
export type EventRow = {
  uuid: string
  account: string
  type: 'PAYMENT' | 'TRANSFER' | 'REFUND' | 'PIX_TRANSACTION' | 'MED'
  subject: string
  sequence: number
  data: ApiResource
}
// biome-ignore lint/suspicious/noExplicitAny: a resource as it is shown.
export type ApiResource = any

/** A rule that does not hold, and where. */
export type Violation = { rule: string; where: string; detail: string }
