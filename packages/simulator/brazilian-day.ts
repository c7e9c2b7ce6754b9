const DAY_FORMAT = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' })

/** Formats the day in São Paulo of a time in ISO 8601, as `2026-11-26`. */
export function formatBrazilianDay(at: string): string {
  return DAY_FORMAT.format(new Date(at))
}

/** São Paulo has had no daylight saving time since 2019. */
const OFFSET_MS = 3 * 3_600_000

/** Formats the time in São Paulo of a time in ISO 8601, without an offset: `2026-11-26T17:34:00.663`. */
export function formatBrazilianTime(at: string): string {
  return new Date(Date.parse(at) - OFFSET_MS).toISOString().slice(0, -1)
}

/** Returns the time in milliseconds at which a day of the form `2026-11-26` begins in São Paulo. */
export function getBrazilianDayStart(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`) + OFFSET_MS
}
