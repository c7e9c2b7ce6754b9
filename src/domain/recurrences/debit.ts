import { addDays, findBusinessDay } from '../charges/business-days.ts'
import { referenceOf } from '../pix/identifiers.ts'
import type { AutomaticDebit } from '../providers/provider.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../shared/brasilia-day.ts'
import { listRetryDays, type TriedCharge } from './tries.ts'

/** Describes the debit of a due day to the provider of its recurrence. */
export function describeDebit(debit: {
  railId: string
  recurrenceUuid: string
  dueOn: string
}): AutomaticDebit {
  const { railId, recurrenceUuid, dueOn } = debit
  return { railId, recurrenceReference: referenceOf(recurrenceUuid), dueOn }
}

/** Tells whether the day of a debit has come: from then on it is in progress until its provider ends it. */
export function hasDebitDayCome(dueDay: string, today: string): boolean {
  return today >= findBusinessDay(dueDay)
}

/**
 * Finds when the provider of a debit is polled next, whether or not it notifies: at the beginning of the day of the debit, and then at the end
 * of each day, because a try may be repeated within its day.
 */
export function findDebitPollTime(dueDay: string, now: Date): Date {
  const today = computeBrasiliaDay(now)
  const dayBefore = addDays(findBusinessDay(dueDay), -1)
  return computeBrasiliaDayEnd(today > dayBefore ? today : dayBefore)
}

/**
 * Finds the end of the last day on which a debit may be made, as far as is known: of the try that is pending, else of the last retry that can
 * be asked for, else of its last try.
 */
export function findDebitEnd(charge: TriedCharge, now: Date): Date {
  const pending = charge.tries.filter(({ status }) => status === 'REQUESTED' || status === 'SCHEDULED')
  const retryDays = listRetryDays(charge, computeBrasiliaDay(now))
  const days = [findBusinessDay(charge.dueDay), ...charge.tries.map(({ on }) => on)]
  if (pending.length === 0) days.push(...retryDays)
  return computeBrasiliaDayEnd(days.sort().at(-1)!)
}
