import { disputeTypeOf } from '../../domain/disputes/dispute.ts'
import type { DisputeReturn, ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import { type AnswerNotes, pickWithinTotal } from '../adapter/answer-parsing.ts'
import type { WooviDispute, WooviRefundSolicitation } from './dispute-schemas.ts'

/** The facts about a dispute that its funds recovery adds. */
export type WooviFundsRecovery = Pick<ProviderDispute, 'kind' | 'returns' | 'isClosed'> & {
  /** The dispute as the funds recovery lists it; null if the account has no permission for funds recoveries. */
  recovery: WooviDispute | null
  /** Decision of a dispute whose status is CLOSED, from its infraction report; absent while there is none. */
  decision?: 'agreed' | 'disagreed'
  /** Whether a part of it could not be read now. */
  isUnread: boolean
  /** Time of the disputed PIX, if it was looked up and found. */
  pixAt?: string | undefined
}

/**
 * Our status of each Woovi status. Woovi has none for a dispute that was replied to, because evidence may be added
 * until the decision. CLOSED means decided without saying how: under analysis until the infraction report says it.
 */
const DISPUTE_STATUSES = {
  IN_REVIEW: 'open',
  CREATED: 'open',
  OPENED: 'open',
  PENDING: 'open',
  PENDING_DOCUMENTATION: 'open',
  ACKNOWLEDGED: 'open',
  ACCEPTED: 'agreed',
  REJECTED: 'disagreed',
  CANCELED: 'withdrawn',
  CLOSED: 'analysing',
} as const satisfies Record<WooviDispute['status'], ProviderDispute['status']>

/** Woovi accepts evidence for three days ("Baas e Med"). */
const REPLY_PERIOD_MS = 3 * 86_400_000

/** Maps a dispute. Its opening is `now` (ms), the first time that it is listed, if Woovi does not report another. */
export function mapWooviDispute(
  dispute: WooviDispute & { endToEndId: string },
  { recovery, decision, pixAt: _, isUnread: __, ...facts }: WooviFundsRecovery,
  now: number,
): ProviderDispute {
  const openedAt = recovery?.createdAt ?? dispute.createdAt ?? new Date(now).toISOString()
  const dueAt = new Date(Date.parse(openedAt) + REPLY_PERIOD_MS).toISOString()
  const situation = recovery?.situationType ?? ''
  const reason = dispute.disputeReason ?? recovery?.disputeReason
  return {
    ...facts,
    id: dispute.id ?? dispute.endToEndId,
    endToEnd: dispute.endToEndId,
    disputeType: disputeTypeOf(situation),
    cents: dispute.value ?? recovery?.value ?? null,
    status: decision ?? DISPUTE_STATUSES[dispute.status],
    openedAt,
    dueAt: facts.kind === 'RECEIVED_MED' ? dueAt : null,
    details: [situation, reason].filter(Boolean).join('; '),
    analysis: '',
  }
}

type DisputeLeg = Pick<ProviderDispute, 'kind' | 'endToEnd'>

/**
 * Picks the refund solicitations of a dispute. Of a dispute that we received only the PIX that we received counts; to the
 * payer who opened the dispute, returns may come from every account that the money reached. Those that return more than
 * `maxCents` together are left out and noted: no more than the disputed value is returned.
 */
export function pickDisputeSolicitations(
  solicitations: WooviRefundSolicitation[],
  { kind, endToEnd }: DisputeLeg,
  maxCents: number | null,
  notes: AnswerNotes,
): { items: WooviRefundSolicitation[]; isComplete: boolean } {
  const relevant = solicitations.filter(
    ({ endToEndId }) => kind === 'REQUESTED_MED' || (endToEndId ?? endToEnd) === endToEnd,
  )
  const getReturnedCents = (solicitation: WooviRefundSolicitation) =>
    toDisputeReturns(solicitation).reduce((sum, { cents }) => sum + cents, 0)
  const items = pickWithinTotal(relevant, maxCents, getReturnedCents, notes)
  return { items, isComplete: items.length === relevant.length }
}

/** Finds the returns of a dispute in its refund solicitations. It is closed when each of them is. */
export function findDisputeReturns(
  solicitations: WooviRefundSolicitation[],
): Pick<ProviderDispute, 'returns' | 'isClosed'> {
  return {
    returns: solicitations.flatMap(toDisputeReturns),
    isClosed:
      solicitations.length > 0 && solicitations.every(({ status }) => CLOSED_STATUSES.includes(status ?? '')),
  }
}
const CLOSED_STATUSES = ['CLOSED', 'CANCELLED', 'CANCELED']

function toDisputeReturns(solicitation: WooviRefundSolicitation): DisputeReturn[] {
  const { refundTransactionId: endToEnd, EffectiveRefundedAmount: cents } = solicitation
  const { refundedAt, lastModified } = solicitation
  if (!endToEnd || !cents) return []
  const railTimeMs = timeOfRailId(endToEnd)
  const at = refundedAt ?? lastModified ?? (railTimeMs && new Date(railTimeMs).toISOString())
  return at ? [{ id: endToEnd, endToEnd, cents, at }] : []
}
