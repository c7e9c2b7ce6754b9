import { findDiscountErrors } from '../../domain/charges/due-errors.ts'
import {
  type DueModalities,
  type DueTerms,
  listUnsupportedDueMembers,
} from '../../domain/charges/due-terms.ts'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../../domain/shared/brasilia-day.ts'
import { rejectForThisProvider } from './outcomes.ts'

// Days of charges with a due date, `YYYY-MM-DD` of Brasília, in the answers of providers that write them as times.

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/

/** Computes the last millisecond of a day of Brasília, ISO 8601 UTC: a moment of that day, as providers write it. */
export function computeLastInstantOfDay(day: string): string {
  return new Date(computeBrasiliaDayEnd(day).getTime() - 1).toISOString()
}

/**
 * Tells whether a text names a day: as a day, or as a moment of it in Brasília or in UTC, where no published text says in which of the
 * two the provider writes days.
 */
export function isTextOfDay(text: string, day: string): boolean {
  if (DAY_PATTERN.test(text)) return text === day
  if (Number.isNaN(Date.parse(text))) return false
  return computeBrasiliaDay(new Date(text)) === day || new Date(text).toISOString().slice(0, 10) === day
}

/**
 * Builds the refusal, without a call, of terms that the provider does not compute; undefined where it computes them all. Discounts until
 * several days must be of one type, and fall from each to the next (`findDiscountErrors`).
 */
export function refuseUncomputedTerms(
  terms: DueTerms,
  modalities: DueModalities | null,
): RejectedResult | undefined {
  const [member] = modalities === null ? ['due'] : listUnsupportedDueMembers(terms, modalities)
  if (member) return dueTermsUnsupported(`The provider does not compute the ${member} of the charge`)
  if (terms.discount?.kind !== 'until') return undefined
  const types = new Set(terms.discount.steps.map(({ type }) => type))
  return types.size <= 1 && findDiscountErrors(terms).length === 0
    ? undefined
    : dueTermsUnsupported('The provider computes falling discounts of one type only')
}

/** Builds the refusal, without a call, of terms that this provider cannot have; another one may. */
export function dueTermsUnsupported(message: string): RejectedResult {
  return rejectForThisProvider('due_unsupported', message)
}
