import { disputeTypeOf } from '../../domain/med.ts'
import type { MedFacts, MedReturn } from '../../domain/med-facts.ts'
import type { Dispute, Solicitation } from './med-shapes.ts'

/**
 * What the funds recovery tells of a dispute; `recovery` is null where the account may not ask for it. `decided`: how a
 * dispute that Woovi only calls CLOSED was decided.
 */
export type Behind = Pick<MedFacts, 'kind' | 'returns' | 'closed'> & {
  recovery: Dispute | null
  decided?: 'agreed' | 'disagreed'
}

/**
 * Woovi never says that a dispute was answered: evidence may be added until it is decided. CLOSED says that it is decided
 * and not how: until the report of the infraction tells, it is under analysis.
 */
const STATUS = {
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
} as const satisfies Record<Dispute['status'], MedFacts['status']>

/** "Baas e Med": evidence is taken for three days. */
const REPLY_MS = 3 * 86_400_000

/** Of a dispute whose beginning Woovi does not tell, the moment it is first seen is the best there is. */
export function medOf(one: Dispute, { recovery, decided, ...behind }: Behind, now: number): MedFacts {
  const openedAt = recovery?.createdAt ?? one.createdAt ?? new Date(now).toISOString()
  const dueAt = new Date(Date.parse(openedAt) + REPLY_MS).toISOString()
  const situation = recovery?.situationType ?? ''
  const reason = one.disputeReason ?? recovery?.disputeReason
  return {
    ...behind,
    id: one.id ?? one.endToEndId,
    endToEnd: one.endToEndId,
    disputeType: disputeTypeOf(situation),
    cents: one.value ?? recovery?.value ?? null,
    status: decided ?? STATUS[one.status],
    openedAt,
    dueAt: behind.kind === 'RECEIVED_MED' ? dueAt : null,
    details: [situation, reason].filter(Boolean).join('; '),
    analysis: '',
  }
}

type Leg = Pick<MedFacts, 'kind' | 'endToEnd'>

/**
 * What was given back. We return what we received, one leg of the money's way; to who contests it comes back from all of
 * them. The matter is over when nobody is asked any more.
 */
export function returnsIn(
  all: Solicitation[],
  { kind, endToEnd }: Leg,
): Pick<MedFacts, 'returns' | 'closed'> {
  const ours = all.filter(one => kind === 'REQUESTED_MED' || (one.endToEndId ?? endToEnd) === endToEnd)
  return {
    returns: ours.flatMap(returnOf),
    closed: ours.length > 0 && ours.every(({ status }) => OVER.includes(status ?? '')),
  }
}
const OVER = ['CLOSED', 'CANCELLED', 'CANCELED']

function returnOf(one: Solicitation): MedReturn[] {
  const { refundTransactionId: endToEnd, EffectiveRefundedAmount: cents, refundedAt, lastModified } = one
  const at = refundedAt ?? lastModified
  return endToEnd && cents && at ? [{ id: endToEnd, endToEnd, cents, at }] : []
}
