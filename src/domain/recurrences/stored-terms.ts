import { findCycle } from './cycles.ts'
import type { RecurrenceTerms } from './recurrence.ts'
import type { TriedCharge } from './tries.ts'

type NullableTerm = 'valueCents' | 'minimumCents' | 'endsOn' | 'subject'

/** The terms of a recurrence as its row has them. */
export type StoredTerms = Omit<RecurrenceTerms, NullableTerm> & {
  [Name in NullableTerm]?: RecurrenceTerms[Name] | undefined
}

/** Reads the terms of a recurrence from its row. */
export function readTerms(row: StoredTerms): RecurrenceTerms {
  return {
    valueCents: row.valueCents ?? null,
    minimumCents: row.minimumCents ?? null,
    frequency: row.frequency,
    startsOn: row.startsOn,
    endsOn: row.endsOn ?? null,
    contract: row.contract,
    subject: row.subject ?? null,
    retryPolicy: row.retryPolicy,
    journey: row.journey,
    generate: row.generate,
    daysBefore: row.daysBefore,
  }
}

/** Builds what decides about the tries of a debit, from the row of its recurrence and its cycle. */
export function buildTriedCharge(
  row: StoredTerms,
  { cycle, ...charge }: Pick<TriedCharge, 'dueDay' | 'tries'> & { cycle: number },
): TriedCharge {
  const nextDueDay = findCycle(readTerms(row), cycle + 1)?.dueDay ?? null
  return { retryPolicy: row.retryPolicy, nextDueDay, ...charge }
}
