/** Days by which an operation that is listed by its order time may have settled later. */
export const MAX_SETTLEMENT_DELAY_DAYS = 2
/** A return starts within 90 days of its PIX (Res. BCB 103/2021), plus one day for its settlement. */
export const RETURN_PERIOD_DAYS = 91

/** Tells whether no return of a PIX can follow any more: neither an ordered one nor one by a dispute. */
export function hasReturnPeriodEnded(pixAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(pixAt) > RETURN_PERIOD_DAYS * 86_400_000
}

export function subtractDays(instant: string, days: number): string {
  return new Date(Date.parse(instant) - days * 86_400_000).toISOString()
}

/** Creates a predicate for instants within the period, both ends included. */
export function createPeriodFilter(from: string, to: string) {
  return (at: string) => Date.parse(at) >= Date.parse(from) && Date.parse(at) <= Date.parse(to)
}
