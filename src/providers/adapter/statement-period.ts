/** What is listed by the time it was ordered may have settled later, by so many days. */
export const MAX_SETTLEMENT_DELAY_DAYS = 2
/** A return starts within 90 days of its PIX (Res. BCB 103/2021); one more for its settlement. */
export const RETURN_PERIOD_DAYS = 91

export function subtractDays(instant: string, days: number): string {
  return new Date(Date.parse(instant) - days * 86_400_000).toISOString()
}

/** Of what moved at an instant: whether that is in the period, its ends included. */
export function createPeriodFilter(from: string, to: string) {
  return (at: string) => Date.parse(at) >= Date.parse(from) && Date.parse(at) <= Date.parse(to)
}
