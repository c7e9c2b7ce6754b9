import { DAY, HOUR, scaleWait } from '../shared/intervals.ts'
import { createStateMachine } from '../shared/state-machine.ts'
import { type TransferState, transferMachine } from '../transfers/transfer.ts'

/** api-document.txt, Dispute. */
export const DISPUTE_STATUSES = ['PENDING', 'PROCESSING', 'ACCEPTED', 'REJECTED', 'CANCELLED'] as const
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number]
/** Against money that came to us, or against a transfer of ours. */
export const DISPUTE_KINDS = ['RECEIVED_MED', 'REQUESTED_MED'] as const
export type DisputeKind = (typeof DISPUTE_KINDS)[number]
export const DISPUTE_TYPES = [
  'UNDEFINED',
  'SCAM',
  'WRONG_TRANSACTION',
  'COERCION_CRIME',
  'UNAUTHORIZED_ACCESS',
] as const
export type DisputeType = (typeof DISPUTE_TYPES)[number]

export type DisputeState =
  | 'requesting'
  | 'refused'
  | 'open'
  | 'analysing'
  | 'accepted'
  | 'resolved'
  | 'rejected'
  | 'cancelled'
  | 'lapsed'
export type DisputeEvent =
  | 'requested'
  | 'request_refused'
  | 'replied'
  | 'reply_refused'
  | 'deadline_passed'
  | 'agreed'
  | 'disagreed'
  | 'withdrawn'
  | 'returned'
  | 'closed_without_funds'
  | 'return_period_ended'

/**
 * State machine of a dispute (SPEC §5). An accepted one is shown ACCEPTED before and after its return; `resolved` differs.
 * `requesting`: the account wants the money of a transfer back, and its provider has not accepted that yet.
 * `lapsed`: its provider published no decision while money could be returned. Nothing is held any more, and a decision
 * that is published later is still shown.
 */
export const disputeMachine = createStateMachine<DisputeState, DisputeStatus, DisputeEvent>({
  requesting: { status: 'PENDING', on: { requested: 'open', request_refused: 'refused' } },
  refused: { status: 'REJECTED', on: {}, isFinal: true },
  open: {
    status: 'PENDING',
    on: {
      replied: 'analysing',
      deadline_passed: 'analysing',
      agreed: 'accepted',
      disagreed: 'rejected',
      withdrawn: 'cancelled',
    },
  },
  analysing: {
    status: 'PROCESSING',
    on: {
      reply_refused: 'open',
      return_period_ended: 'lapsed',
      agreed: 'accepted',
      disagreed: 'rejected',
      withdrawn: 'cancelled',
    },
  },
  accepted: {
    status: 'ACCEPTED',
    on: { returned: 'resolved', closed_without_funds: 'resolved', withdrawn: 'cancelled' },
  },
  resolved: { status: 'ACCEPTED', on: {}, isFinal: true },
  rejected: { status: 'REJECTED', on: {}, isFinal: true },
  cancelled: { status: 'CANCELLED', on: {}, isFinal: true },
  lapsed: {
    status: 'PROCESSING',
    on: { agreed: 'resolved', disagreed: 'rejected', withdrawn: 'cancelled' },
    isFinal: true,
  },
})

/** The states in which a dispute holds money and keeps refunds of its charge away; one that we only request does neither. */
export const UNRESOLVED_DISPUTE_STATES: readonly DisputeState[] = disputeMachine.states.filter(
  state => !disputeMachine.isFinal(state) && !disputeMachine.accepts(state, 'requested'),
)

/** DICT's SituationType (2.12.1) in the contract's words; what is new or unknown is UNDEFINED. */
const DISPUTE_TYPE_BY_SITUATION = {
  SCAM: 'SCAM',
  // The contract's name for a transaction the payer did not authorize; a wrong key is no matter for the MED.
  ACCOUNT_TAKEOVER: 'WRONG_TRANSACTION',
  COERCION: 'COERCION_CRIME',
  FRAUDULENT_ACCESS: 'UNAUTHORIZED_ACCESS',
} as const satisfies Record<string, DisputeType>
export type DisputeSituation = keyof typeof DISPUTE_TYPE_BY_SITUATION | 'OTHER'
const SITUATIONS = Object.keys(DISPUTE_TYPE_BY_SITUATION) as (keyof typeof DISPUTE_TYPE_BY_SITUATION)[]

export function disputeTypeOf(situation: string): DisputeType {
  const known = SITUATIONS.find(one => one === situation)
  return known ? DISPUTE_TYPE_BY_SITUATION[known] : 'UNDEFINED'
}

/** DICT's SituationType of a dispute that we request. */
export function situationOf(type: DisputeType): DisputeSituation {
  return SITUATIONS.find(situation => DISPUTE_TYPE_BY_SITUATION[situation] === type) ?? 'OTHER'
}

/** A PIX is disputed within 80 days of its settlement (SPEC §5). */
const REQUEST_PERIOD_MS = 80 * DAY

/** An analysis takes at most seven days (SPEC §5), whatever a provider says. */
export const MAX_ANALYSIS_MS = 7 * DAY

/** Deadline of the reply: the provider's, at most seven days after the opening. Milliseconds of the epoch. */
export function replyDeadlineMs(opening: { openedAtMs: number; providerDeadlineMs: number | null }): number {
  const latest = opening.openedAtMs + MAX_ANALYSIS_MS
  return opening.providerDeadlineMs === null ? latest : Math.min(latest, opening.providerDeadlineMs)
}

/** Hours before the deadline at which the merchant is warned of an unanswered dispute. */
const WARNING_HOURS: readonly number[] = [48, 24, 6]

type ReplyDeadline = { dueAtMs: number; nowMs: number; timeScale: number }

/** The latest warning that is due, in hours before the deadline; null before the first and from the deadline on. */
export function dueWarningHours({ dueAtMs, nowMs, timeScale }: ReplyDeadline): number | null {
  if (nowMs >= dueAtMs) return null
  return WARNING_HOURS.findLast(hours => dueAtMs - scaleWait(hours * HOUR, timeScale) <= nowMs) ?? null
}

/** Time of the next warning, or of the deadline. Milliseconds of the epoch. */
export function nextDeadlineMs({ dueAtMs, nowMs, timeScale }: ReplyDeadline): number {
  const warnings = WARNING_HOURS.map(hours => dueAtMs - scaleWait(hours * HOUR, timeScale))
  return warnings.find(warningMs => warningMs > nowMs) ?? dueAtMs
}

/** Code of the catalogue that refuses a reply to this dispute; null where a reply is accepted. */
export function replyErrorCodeOf(dispute: {
  kind: DisputeKind
  state: DisputeState
  hasReply: boolean
}): 'med_not_answerable' | 'med_already_answered' | null {
  if (dispute.kind === 'REQUESTED_MED') return 'med_not_answerable'
  if (dispute.hasReply) return 'med_already_answered'
  return dispute.state === 'open' ? null : 'med_not_answerable'
}

/**
 * Code of the catalogue that refuses a request for the money of a transfer; null where it may be requested. `isRequested`: its PIX has a
 * dispute, also one that was withdrawn: the rail allows one for ever.
 */
export function requestErrorCodeOf({
  state,
  settledAtMs,
  isRequested,
  nowMs,
}: {
  state: TransferState
  settledAtMs: number | null
  isRequested: boolean
  nowMs: number
}): 'transfer_not_disputable' | 'med_already_asked' | 'med_period_over' | null {
  if (isRequested) return 'med_already_asked'
  // One that was returned whole has nothing left to come back.
  if (settledAtMs === null || !transferMachine.accepts(state, 'returned_whole'))
    return 'transfer_not_disputable'
  return nowMs - settledAtMs > REQUEST_PERIOD_MS ? 'med_period_over' : null
}

/** Tells whether the account may withdraw a dispute: one that it has requested, and that goes on at its provider. */
export function isCancellableDispute({ kind, state }: { kind: DisputeKind; state: DisputeState }): boolean {
  return (
    kind === 'REQUESTED_MED' && disputeMachine.accepts(state, 'withdrawn') && !disputeMachine.isFinal(state)
  )
}

/** Claim of a dispute and the money that covers it, held and retained. Centavos. */
export type DisputeCover = { claimedCents: number; heldCents: number; retainedCents: number }

/** The part of a claim that is not covered yet. Centavos. */
export function computeUncoveredCents({ claimedCents, heldCents, retainedCents }: DisputeCover): number {
  return claimedCents - heldCents - retainedCents
}

/**
 * Computes what a dispute may claim of a payment: the requested amount, but never more than refunds and other disputes
 * leave, so that the payer is never paid twice.
 */
export function computeClaimCents(claim: { requestedCents: number; remainderCents: number }): number {
  return Math.max(0, Math.min(claim.requestedCents, claim.remainderCents))
}

/** What a dispute is about, what it claims of it, and what its provider has returned. Centavos. */
type DisputeProgress = { valueCents: number; claimedCents: number; returnedCents: number }

/**
 * Tells whether a provider may return more by a dispute: it claims money, or may still claim some of the PIX, because a refund
 * or a return of ours is under way, or because the PIX waits in `pending`. Of a transfer: not all of it has come back.
 */
export function mayReturnMore(
  { valueCents, claimedCents, returnedCents }: DisputeProgress,
  isMoneyLeft: boolean,
): boolean {
  return claimedCents > 0 || (returnedCents < valueCents && isMoneyLeft)
}

/** What a dispute still wants and has after its provider returned so much: blocked money goes first. */
export function coverAfterReturn(cover: DisputeCover, cents: number): DisputeCover {
  const heldCents = Math.min(cents, cover.heldCents)
  return {
    claimedCents: cover.claimedCents - Math.min(cents, cover.claimedCents),
    heldCents: cover.heldCents - heldCents,
    retainedCents: cover.retainedCents - Math.min(cents - heldCents, cover.retainedCents),
  }
}
