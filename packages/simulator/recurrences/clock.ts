import { formatBrazilianDay } from '../brazilian-day.ts'
import type { SimulatorStore } from '../store.ts'

/** Counts the days of recurrences, which may run ahead of the simulator's clock; all other times are those of that clock. */
export type RecurrenceClock = {
  /** Returns the simulator's time, moved ahead by the stored number of days. */
  now(): Date
  /** Returns the day in Brasília of `now`, as `2026-11-26`. */
  today(): string
  /** Moves the clock ahead by a day; the store keeps it over a restart. */
  advanceDay(): void
}

const DAY_MS = 86_400_000

export function createRecurrenceClock(store: SimulatorStore, now: () => Date): RecurrenceClock {
  const findDaysAhead = () =>
    store.first<{ daysAhead: number }>('SELECT daysAhead FROM recurrenceClock')?.daysAhead ?? 0
  const readTime = () => new Date(now().getTime() + findDaysAhead() * DAY_MS)
  return {
    now: readTime,
    today: () => formatBrazilianDay(readTime().toISOString()),
    advanceDay: () =>
      void store.run(
        'INSERT INTO recurrenceClock VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET daysAhead = daysAhead + 1',
      ),
  }
}
