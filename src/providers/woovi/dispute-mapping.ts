import { disputeTypeOf } from '../../domain/disputes/dispute.ts'
import type { DisputeReturn, ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import type { WooviDispute, WooviRefundSolicitation } from './dispute-schemas.ts'

/**
 * What the funds recovery tells of a dispute; `recovery` is null where the account may not ask for it. `decided`: how a
 * dispute that Woovi only calls CLOSED was decided.
 */
export type WooviFundsRecovery = Pick<ProviderDispute, 'kind' | 'returns' | 'isClosed'> & {
  recovery: WooviDispute | null
  decided?: 'agreed' | 'disagreed'
}

/**
 * Woovi never says that a dispute was answered: evidence may be added until it is decided. CLOSED says that it is decided
 * and not how: until the report of the infraction tells, it is under analysis.
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

/** "Baas e Med": evidence is taken for three days. */
const REPLY_PERIOD_MS = 3 * 86_400_000

/** Of a dispute whose beginning Woovi does not tell, the moment it is first seen is the best there is. */
export function mapWooviDispute(
  one: WooviDispute,
  { recovery, decided, ...behind }: WooviFundsRecovery,
  now: number,
): ProviderDispute {
  const openedAt = recovery?.createdAt ?? one.createdAt ?? new Date(now).toISOString()
  const dueAt = new Date(Date.parse(openedAt) + REPLY_PERIOD_MS).toISOString()
  const situation = recovery?.situationType ?? ''
  const reason = one.disputeReason ?? recovery?.disputeReason
  return {
    ...behind,
    id: one.id ?? one.endToEndId,
    endToEnd: one.endToEndId,
    disputeType: disputeTypeOf(situation),
    cents: one.value ?? recovery?.value ?? null,
    status: decided ?? DISPUTE_STATUSES[one.status],
    openedAt,
    dueAt: behind.kind === 'RECEIVED_MED' ? dueAt : null,
    details: [situation, reason].filter(Boolean).join('; '),
    analysis: '',
  }
}

type DisputeLeg = Pick<ProviderDispute, 'kind' | 'endToEnd'>

/**
 * What was given back. We return what we received, one leg of the money's way; to who contests it comes back from all of
 * them. The matter is over when nobody is asked any more.
 */
export function findDisputeReturns(
  all: WooviRefundSolicitation[],
  { kind, endToEnd }: DisputeLeg,
): Pick<ProviderDispute, 'returns' | 'isClosed'> {
  const ours = all.filter(one => kind === 'REQUESTED_MED' || (one.endToEndId ?? endToEnd) === endToEnd)
  return {
    returns: ours.flatMap(toDisputeReturns),
    isClosed: ours.length > 0 && ours.every(({ status }) => CLOSED_STATUSES.includes(status ?? '')),
  }
}
const CLOSED_STATUSES = ['CLOSED', 'CANCELLED', 'CANCELED']

function toDisputeReturns(one: WooviRefundSolicitation): DisputeReturn[] {
  const { refundTransactionId: endToEnd, EffectiveRefundedAmount: cents, refundedAt, lastModified } = one
  const at = refundedAt ?? lastModified
  return endToEnd && cents && at ? [{ id: endToEnd, endToEnd, cents, at }] : []
}
