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
 * is the truth where it reports parts of a version's value that add up; of several of that value the one counts whose forecast has these
 * parts. Else the PIX must be within 10 centavos of the forecast, and the nearest counts. Null where it pays none. Of equally near ones the
 * first counts.
 */
export function matchDueVersion<Version extends DueVersion>(
  versions: Version[],
  payment: DuePayment,
): MatchedVersion<Version> | null {
  const parts = payment.parts && sumPaidParts(payment.parts) === payment.cents ? payment.parts : null
  const billed = versions.filter(({ totalCents }) => totalCents === parts?.originalCents)
  if (parts && billed.length > 0) {
    const { version } = findNearest(billed, one => computePartsDifference(one, parts, payment.at))
    return { version, parts }
  }
  const nearest = findNearest(versions, one =>
    findLeast(listPossibleDays(payment.at), day =>
      Math.abs(computeAmountDue(one.totalCents, one.due, day).totalCents - payment.cents),
    ),
  )
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

function findNearest<Version>(versions: Version[], computeDifference: (version: Version) => number) {
  const judged = versions.map(version => ({ version, differenceCents: computeDifference(version) }))
  return judged.reduce((best, one) => (one.differenceCents < best.differenceCents ? one : best))
}

/**
 * Computes how far the forecast of a version is from reported parts, in centavos: on the day of the payment, or else, as further than any
 * that fits there, on the nearest of the other days. A provider may have computed for another day: where a local holiday has moved the due
 * day, which no national calendar knows.
 */
function computePartsDifference({ totalCents, due }: DueVersion, parts: PaidParts, at: string): number {
  const compare = (day: string) => {
    const forecast = computeAmountDue(totalCents, due, day)
    const names = Object.keys(parts) as (keyof PaidParts)[]
    return names.reduce((sum, name) => sum + Math.abs(forecast[name] - parts[name]), 0)
  }
  const onDay = findLeast(listPossibleDays(at), compare)
  return onDay <= FORECAST_TOLERANCE_CENTS
    ? onDay
    : FORECAST_TOLERANCE_CENTS + 1 + findLeast(listOtherDays(at, due), compare)
}

function findLeast(days: string[], compute: (day: string) => number): number {
  return Math.min(...days.map(compute))
}

/** Days before a payment that a provider may have computed it for. */
const EARLIER_DAYS = 7

/** Lists the days that a provider may have computed a payment for: from a week before it to the last payable one. */
function listOtherDays(at: string, due: DueTerms): string[] {
  const first = addDays(computeBrasiliaDay(new Date(at)), -EARLIER_DAYS)
  const last = findDueEnd(due)
  const days = [first]
  for (let day = addDays(first, 1); day <= last; day = addDays(day, 1)) days.push(day)
  return days
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
