import { DAY, HOUR } from './intervals.ts'

/** Brasília is three hours behind UTC all year: Brazil has had no daylight saving time since 2019. */
const BRASILIA_OFFSET_MS = 3 * HOUR

/** Computes the day of a moment in Brasília, `YYYY-MM-DD`. */
export function computeBrasiliaDay(at: Date): string {
  return new Date(at.getTime() - BRASILIA_OFFSET_MS).toISOString().slice(0, 10)
}

/** Computes when a day of Brasília ends, which is when the next one begins. */
export function computeBrasiliaDayEnd(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY + BRASILIA_OFFSET_MS)
}
