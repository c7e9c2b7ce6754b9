const DAY_FORMAT = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' })

/** Formats the day in São Paulo of a time in ISO 8601, as `2026-11-26`. */
export function formatBrazilianDay(at: string): string {
  return DAY_FORMAT.format(new Date(at))
}
