import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../shared/brasilia-day.ts'
import { MINUTE } from '../shared/intervals.ts'
import { addDays } from './business-days.ts'
import { computeAmountDue, findDueEnd } from './due-amount.ts'
import type { DueTerms, PaidParts } from './due-terms.ts'

/**
 * What a provider may compute more or less than the forecast, in centavos. Their roundings differ: bacen/pix-api issue 607 has a
 * difference of 9 centavos on R$ 30,000.
 */
const FORECAST_TOLERANCE_CENTS = 10

/** A PIX that is paid in the last second of a day settles up to 40 s later, and its provider may report the time of the settlement. */
const SETTLEMENT_MS = MINUTE

/** What a charge asks on its due day, and how that changes. */
export type DueVersion = { totalCents: number; due: DueTerms }

/** A PIX of a charge with a due date; `at` is ISO 8601 UTC. */
export type DuePayment = { cents: number; at: string; parts?: PaidParts }

/** The version of a charge that a PIX pays, and what it consists of where the provider reported that. */
export type MatchedVersion<Version> = { version: Version; parts: PaidParts | null }

/**
 * Finds the version of a charge that a PIX pays: as it is stored, or as a revision asks whose answer is missing. What the provider computed
 * is the truth where it reports parts of a version's value that add up. Else the PIX must be within 10 centavos of the forecast. Null where it
 * pays none. Of several the nearest counts, and of equally near ones the first.
 */
export function matchDueVersion<Version extends DueVersion>(
  versions: Version[],
  payment: DuePayment,
): MatchedVersion<Version> | null {
  const parts = payment.parts && sumPaidParts(payment.parts) === payment.cents ? payment.parts : null
  const billed = versions.filter(({ totalCents }) => totalCents === parts?.originalCents)
  if (parts && billed.length > 0) return { version: findNearest(billed, payment).version, parts }
  const nearest = findNearest(versions, payment)
  return nearest.differenceCents <= FORECAST_TOLERANCE_CENTS
    ? { version: nearest.version, parts: null }
    : null
}

/** Adds up what a payment consists of, in centavos. */
export function sumPaidParts(parts: PaidParts): number {
  return (
    parts.originalCents + parts.fineCents + parts.interestCents - parts.discountCents - parts.abatementCents
  )
}

function findNearest<Version extends DueVersion>(versions: Version[], payment: DuePayment) {
  const judged = versions.map(version => ({
    version,
    differenceCents: Math.min(
      ...listPossibleDays(payment.at).map(day =>
        Math.abs(computeAmountDue(version.totalCents, version.due, day).totalCents - payment.cents),
      ),
    ),
  }))
  return judged.reduce((best, one) => (one.differenceCents < best.differenceCents ? one : best))
}

/** Lists the days of Brasília on which a PIX that settled at a time may have been paid. */
function listPossibleDays(at: string): string[] {
  const settledAt = new Date(at)
  const day = computeBrasiliaDay(settledAt)
  const isFirstMinute = computeBrasiliaDay(new Date(settledAt.getTime() - SETTLEMENT_MS)) !== day
  return isFirstMinute ? [addDays(day, -1), day] : [day]
}

/** Finds when a charge with a due date can be paid no more: the end of its last payable day in Brasília. */
export function findDueExpiry(due: Pick<DueTerms, 'on' | 'payableDaysAfter'>): Date {
  return computeBrasiliaDayEnd(findDueEnd(due))
}
