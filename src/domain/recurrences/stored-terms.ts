import { PROVIDER_CAPABILITIES } from '../providers/capabilities.ts'
import type { ProviderApi } from '../providers/provider.ts'
import { type Cycle, type CycleCreation, findCycle, findNextCreation } from './cycles.ts'
import { isChargeableRecurrenceState, type RecurrenceState, type RecurrenceTerms } from './recurrence.ts'
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

/**
 * Finds the next charge that the worker creates for a recurrence, as `findNextCreation` does, from its row: none where the merchant creates
 * them, or where it is not active.
 */
export function findStoredCreation(
  row: StoredTerms & { state: RecurrenceState; nextCycle: number; connection: { dialect: ProviderApi } },
  now: Date,
): { next: CycleCreation | null; skipped: Cycle[] } {
  if (row.generate !== 'AUTOMATIC' || !isChargeableRecurrenceState(row.state))
    return { next: null, skipped: [] }
  const isProvider = PROVIDER_CAPABILITIES[row.connection.dialect].ownDebits !== undefined
  return findNextCreation(readTerms(row), { afterCycle: row.nextCycle - 1, now, isProvider })
}

/** Builds what decides about the tries of a debit, from the row of its recurrence and its cycle. */
export function buildTriedCharge(
  row: StoredTerms,
  { cycle, ...charge }: Pick<TriedCharge, 'dueDay' | 'tries'> & { cycle: number },
): TriedCharge {
  const nextDueDay = findCycle(readTerms(row), cycle + 1)?.dueDay ?? null
  return { retryPolicy: row.retryPolicy, nextDueDay, ...charge }
}
