import type {
  SimulatedChargeView,
  SimulatedDisputeView,
  StatementLine,
} from '../../packages/simulator/control/client.ts'
import type { ChargeState } from '../../src/domain/charges/charge.ts'
import type { ChargeRevisionStatus } from '../../src/domain/charges/charge-revision.ts'
import type { DueTerms, PaidParts } from '../../src/domain/charges/due-terms.ts'
import type { DisputeKind, DisputeState } from '../../src/domain/disputes/dispute.ts'
import type { RefundState } from '../../src/domain/refunds/refund.ts'
import type { TransferState } from '../../src/domain/transfers/transfer.ts'
import type {
  BatchCancelReason,
  BatchItemState,
  BatchMode,
  BatchState,
} from '../../src/domain/transfers/transfer-batch.ts'
import type { TransferLookup } from '../../src/domain/transfers/transfer-lookup.ts'
import type { RequestRecord } from './merchant-requests.ts'
import type { CalloutReply } from './participants.ts'

/** One reply to a dispute, as its provider received it. */
export type ProviderDisputeReply = SimulatedDisputeView['replies'][number]

/**
 * The state that is checked when a storm is over: our rows, the simulator's books, running workflows, received
 * webhooks. Money in centavos.
 */
export type FinalState = {
  /** The rail's own record of what settled, as far as the provider's API shows it, by provider account. */
  lines: ProviderStatementLine[]
  /** The balance at the simulator of each provider account of ours, without what its API never shows. */
  holdings: { providerAccount: string; mode: Mode; cents: number }[]
  /** Each side of a dispute that an account of ours has, as its provider stores it. */
  disputesAtProvider: {
    id: string
    providerAccount: string
    status: SimulatedDisputeView['status']
    replies: ProviderDisputeReply[]
  }[]
  /** Each charge of an account of ours, as the simulator has it. */
  chargesAtProvider: {
    providerAccount: string
    reference: string
    txid: string
    status: SimulatedChargeView['status']
  }[]
  /** Each charge with a due date of an account of ours, as its provider has it. */
  dueChargesAtProvider: {
    providerAccount: string
    txid: string
    /** What it costs on some days. */
    asks: { on: string; cents: number }[]
    /** What the payments of what it asks consist of, as its provider computed them. */
    payments: (PaidParts & { cents: number })[]
  }[]
  /** The providers' states of the orphan payloads. */
  undisclosedPayloads: { attempt: string; status: 'open' | 'closed' | 'no_answer' }[]

  charges: ChargeRow[]
  revisions: RevisionRow[]
  splits: {
    charge: string
    status: 'PENDING' | 'CREDITED' | 'FAILED'
    cents: number
    returnRequestedCents: number
  }[]
  transfers: TransferRow[]
  batches: BatchRow[]
  batchItems: {
    batch: string
    line: number
    transfer: string
    state: BatchItemState
    cents: number
    reference: string
  }[]
  refunds: { uuid: string; charge: string; state: RefundState; cents: number; partsCents: number }[]
  disputes: DisputeRow[]
  /** Accounts' orders to return deposits, with the failure of those that moved no money. */
  depositReturns: { uuid: string; movement: string; failure: string | null }[]
  /** The uuids of the look-ups of keys. */
  keyLookups: string[]
  /** Each counter of the limits of an account, and the sum of the orders that take room of it and have not failed. */
  limitUsages: { counter: string; usedCents: number; orderedCents: number }[]
  /** The orders of merchants with a call-out that wait, or have waited, for approvals. */
  callouts: CalloutRow[]
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
  /** Items of no documented shape that the simulator listed, by the end-to-end ids that they name. */
  undocumentedItems: { id: string; providerAccount: string; mustBeKept: boolean }[]
  /** The answers and items that were stored because they are undocumented, unchanged. */
  unexplainedAnswers: string[]
  /** The sum of all postings of a movement, where it is not zero. */
  unbalancedMovements: { movement: string; cents: number }[]
  buckets: BucketRow[]

  /** Each account's endpoints in the simulator's inbox; they were created before everything else. */
  endpoints: { account: string; mode: Mode; inbox: string; isToldOfBatches: boolean }[]
  events: EventRow[]
  /** The webhooks that each endpoint of an account received and answered with success. */
  deliveries: { uuid: string; event: string; inbox: string; status: string }[]
  /** The webhooks that reached the endpoints, whatever the response. */
  receivedDeliveries: { inbox: string; event: string; data: unknown }[]
  /** Notifications that no workflow has processed. */
  unroutedNotifications: string[]

  /** The exported statement of each account, in each mode, the oldest row first. */
  statements: AccountStatement[]
  /** Operations that a token of the other mode of their account could read. */
  readableInOtherMode: string[]
  /** The accounts of merchants and recipients: all but the service's own. */
  merchantAccounts: string[]

  /** The ids of the workflows that run. */
  runningWorkflowIds: string[]
  /** Workflows whose history the workflow code does not reproduce. */
  failedReplays: { workflowId: string; error: string }[]
  /** The ids among unanswered requests that have a workflow, running or ended. */
  startedWorkflowIds: string[]
  requests: RequestRecord[]
  /** Each charge, transfer, batch and refund as its GET shows it; absent: no answer. */
  resources: Map<string, ApiResource>
}

/** Whether money is a simulator's or real. */
export type Mode = 'test' | 'live'

export type AccountStatement = { account: string; mode: Mode; rows: StatementRow[] }
export type StatementRow = {
  providerAccount: string
  type: string
  status: string
  /** Empty where the row is no PIX; the provider's own name of the PIX where its API shows no end-to-end id. */
  endToEnd: string
  /** Below zero: it takes. */
  cents: number
  balanceCents: number
  /** The uuid of its operation. */
  operation: string
}
export type ProviderStatementLine = {
  providerAccount: string
  kind: StatementLine['kind']
  /** The id that we sent. */
  id: string | null
  /** The id by which its provider's API shows it: its end-to-end id, if it shows one. Null where it is not a PIX. */
  endToEnd: string | null
  /** Of a return: the PIX that it returns, by the id by which that is shown. */
  original: string | null
  cents: number
  /** Who received a transfer, as DICT named them when it was sent; null of other lines. */
  receiver: { name: string; document: string } | null
}
type ChargeRow = {
  uuid: string
  account: string
  mode: Mode
  state: ChargeState
  /** Empty before it is issued. */
  txid: string
  endToEnd: string | null
  valueCents: number
  feeCents: number
  receivedCents: number
  refundingCents: number
  refundedCents: number
  disputedCents: number
  externalRef: string | null
  /** What it asks on its due day, with its fee as it was quoted. */
  totalCents: number
  due: DueTerms | null
  /** The number of its last accepted revision, and what it asked before the first. */
  revision: number
  issuedAs: { totalCents: number; due: DueTerms } | null
  /** What its payment consists of, where its provider reported that. */
  paidParts: PaidParts | null
  history: string[]
}
/** A change of what a charge with a due date asks. */
export type RevisionRow = {
  uuid: string
  charge: string
  number: number
  status: ChargeRevisionStatus
  totalCents: number
  due: DueTerms
  /** Its answer was missing when the charge was paid or ended: its provider may have carried it out. */
  isEndedWithCharge: boolean
}
type TransferRow = {
  uuid: string
  account: string
  mode: Mode
  state: TransferState
  cents: number
  heldCents: number
  returnedCents: number
  externalRef: string | null
  /** The copy of the look-up that its order names. */
  lookup: Pick<TransferLookup, 'onMismatch' | 'owner'> | null
  /** The batch that it is an item of. */
  batch: string | null
  createdAtMs: number
  history: string[]
}
type BatchRow = {
  uuid: string
  account: string
  mode: Mode
  state: BatchState
  /** By which a request finds it again. */
  name: string | null
  sendMode: BatchMode
  cancelReason: BatchCancelReason | null
  itemCount: number
  valueCents: number
  /** Of one that waits, or has waited, for approvals. */
  approval: { decision: string | null; decidedAtMs: number | null } | null
  history: string[]
}
type CalloutRow = {
  /** The transfer or batch. */
  subject: string
  decision: string | null
  /** What is stored of the call-out. */
  verdict: 'approve' | 'reject' | null
  /** A provider was called for it, or for an item of it. */
  isStarted: boolean
  /** What the merchant's server always says. */
  says: CalloutReply
  /** How often the merchant's server was asked about it. */
  requestCount: number
}
type DisputeRow = {
  uuid: string
  account: string
  mode: Mode
  providerAccount: string
  /** Its provider's id of it. */
  id: string
  kind: DisputeKind
  state: DisputeState
  charge: string | null
  /** The amount that it claims, and the amount blocked for it so far. */
  claimedCents: number
  heldCents: number
  retainedCents: number
  returnedCents: number
  /** The number of replies that we accepted. */
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
  mode: Mode
  type: 'PAYMENT' | 'TRANSFER' | 'REFUND' | 'PIX_TRANSACTION' | 'MED' | 'BATCH'
  subject: string
  sequence: number
  data: ApiResource
}
// biome-ignore lint/suspicious/noExplicitAny: a resource as it is shown.
export type ApiResource = any

/** A violated rule, and where. */
export type Violation = { rule: string; where: string; detail: string }
