import type { PixReturnIds } from '../pix/pix-return.ts'
import type { NoAnswerResult, NotAcceptedResult, NotFoundResult } from '../providers/provider.ts'
import {
  type DisputeEvent,
  type DisputeKind,
  type DisputeSituation,
  type DisputeState,
  type DisputeType,
  disputeMachine,
} from './dispute.ts'

/** A dispute as its provider reports it; times are ISO 8601 UTC. */
export type ProviderDispute = {
  /** The provider's own id of the dispute, by which a repeated notification is recognised. */
  id: string
  kind: DisputeKind
  /** The end-to-end id of the disputed PIX: one we received, or one we sent (REQUESTED_MED). */
  endToEnd: string
  /** Ours, made from DICT's SituationType by `disputeTypeOf`. */
  disputeType: DisputeType
  /** What the payer wants back; null where the provider does not say, which means the whole PIX. */
  cents: number | null
  /** `open` waits for a reply, `analysing` has one or had none in time; the others are decisions. */
  status: 'open' | 'analysing' | 'agreed' | 'disagreed' | 'withdrawn'
  openedAt: string
  /** The provider's deadline for a reply. */
  dueAt: string | null
  /** The provider's own codes: its situation, its reason. */
  details: string
  /** The provider's or the payer's reasoning. */
  analysis: string
  /**
   * The provider's own devoluções, settled ones only; of a REQUESTED_MED what came back to us. Of an accepted dispute also
   * those of which the provider does not say who ordered them: the engine leaves out our own refunds.
   */
  returns: DisputeReturn[]
  /**
   * Ids of devoluções of an accepted dispute that have failed and of which the provider does not say who ordered them. One
   * that we did not order ends the dispute: nothing more is returned.
   */
  failedReturnIds?: string[]
  /**
   * Nothing more is returned: an agreed dispute is over even where `returns` is empty, and one under analysis has ended
   * without a published decision.
   */
  isClosed: boolean
  /** How far the rail has come with it, of one that we requested; absent where the provider does not show it. */
  recovery?: DisputeRecovery
}

/** Stages of a recovery of the rail (MED 2.0), in their order; it is cancelled at any of them. */
export const RECOVERY_STAGES = [
  'CREATED',
  'TRACKED',
  'AWAITING_ANALYSIS',
  'ANALYSED',
  'REFUNDING',
  'COMPLETED',
  'CANCELLED',
] as const
type RecoveryStage = (typeof RECOVERY_STAGES)[number]
/** Stage of a recovery, and its history, the oldest first; `at` is ISO 8601 UTC. */
export type DisputeRecovery = { stage: RecoveryStage; events: { stage: RecoveryStage; at: string }[] }

/**
 * The events, in order, that lead from our state of a dispute to the decision that its provider reports. Several at once where
 * the provider decided long ago. The end of an accepted dispute depends on its returns (`endOfAcceptedDispute`).
 */
export function eventsToDecision(
  state: DisputeState,
  facts: Pick<ProviderDispute, 'status' | 'isClosed'>,
): DisputeEvent[] {
  // What the provider reports of a request, it has accepted.
  const steps: DisputeEvent[] = disputeMachine.accepts(state, 'requested') ? ['requested'] : []
  const reportedState = steps.reduce((current, event) => disputeMachine.next(current, event), state)
  const decision = EVENT_BY_PROVIDER_STATUS[facts.status]
  if (decision && disputeMachine.accepts(reportedState, decision)) steps.push(decision)
  const stateAfterDecision = steps.reduce(
    (currentState, event) => disputeMachine.next(currentState, event),
    state,
  )
  if (
    facts.status === 'analysing' &&
    facts.isClosed &&
    disputeMachine.accepts(stateAfterDecision, 'return_period_ended')
  )
    steps.push('return_period_ended')
  return steps
}

/**
 * The event that ends an accepted dispute, once the returns that its provider reports are recorded; null where it goes on. A
 * provider may return a PIX in parts for ninety days: a return ends the dispute only where the provider has closed it, or
 * where no more can be returned by it (`mayReturnMore`).
 */
export function endOfAcceptedDispute(
  state: DisputeState,
  { status, returns, isClosed }: Pick<ProviderDispute, 'status' | 'returns' | 'isClosed'>,
  mayReturnMore: boolean,
): DisputeEvent | null {
  if (status !== 'agreed') return null
  const event = returns.length > 0 ? 'returned' : 'closed_without_funds'
  const isOver = isClosed || (returns.length > 0 && !mayReturnMore)
  return isOver && disputeMachine.accepts(state, event) ? event : null
}

/** `analysing` at the provider: our reply has arrived, or a reply was given in the provider's panel. */
const EVENT_BY_PROVIDER_STATUS: Record<ProviderDispute['status'], DisputeEvent | null> = {
  open: null,
  analysing: 'replied',
  agreed: 'agreed',
  disagreed: 'disagreed',
  withdrawn: 'withdrawn',
}

export type DisputeReturn = PixReturnIds & { cents: number; at: string }

/**
 * By its id; the end-to-end id helps a provider that can only list. `isRequested`: one that the account has requested, of which the id is
 * not known before the answer to its request.
 */
export type DisputeReference = { id: string; endToEnd: string | null; isRequested?: true }
export type FindDisputeOutcome = { kind: 'found'; dispute: ProviderDispute } | NotFoundResult | NoAnswerResult
/** `incompleteCode`: why some disputes of the list could not be completed; the list is requested again. */
export type ListDisputesOutcome =
  | { kind: 'found'; disputes: ProviderDispute[]; incompleteCode?: string }
  | NoAnswerResult

/** Our answer to a dispute. `accept`: we agree, and the money goes back. */
export type ProviderDisputeReply = {
  id: string
  endToEnd: string
  accept: boolean
  analysis: string
  /** Proofs; `url` is signed, lets the provider read the file, and expires. */
  attachments: { uuid: string; name: string; contentType: string; url: string }[]
}
/** A reply moves no money: after `unknown` the dispute is polled, and the reply sent again where it is still open. */
export type ReplyToDisputeOutcome = { kind: 'accepted' } | NotAcceptedResult

/** A request for the money of a PIX that we sent; `details` is the account's text. */
export type DisputeRequest = { endToEnd: string; situation: DisputeSituation; details: string }
/** It moves no money, and a PIX has one for ever: after `unknown` it is looked up, and requested again where it is not found. */
export type RequestDisputeOutcome = { kind: 'accepted'; dispute: ProviderDispute } | NotAcceptedResult
