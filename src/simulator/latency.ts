/** Every wait of the simulator, in milliseconds of an unhurried day; `TRILHO_TIME_SCALE` divides them all. */
export const SIMULATOR_WAITS_MS = {
  /** From accepting a sending or a devolução to its settlement: long enough to be seen in process. */
  settle: 200,
  /** A provider that answers late, yet before anyone gives up on it. */
  slow: 3_000,
  /** A connection without an answer is dropped after this, in case the caller waits for ever. */
  silence: 60_000,
  /** How long something accepted stays in process, unannounced, before it settles after all. */
  silentSettlement: 60_000,
  /** A reordered notice is held this long, so that those after it overtake. */
  reorder: 2_000,
  /** From a settled sending to the recipient's return of it. */
  recipientReturn: 500,
  /** From an order that is left in a provider's panel to its removal there. */
  orderRemoval: 10_000,
  /** Efí: a report of the statement takes about so long ("Boa Prática"). */
  report: 30_000,
  /** A received PIX that is announced is in the provider's books so much later. */
  listingDelay: 30_000,
  /** Efí lets a notice's receiver take 60 s. */
  notificationResponse: 60_000,
} as const

/**
 * Between the tries of a notice. Efí waits 5, 10, 20 … minutes (webhooks, "Receiving callbacks"); here they are
 * seconds, so that a receiver that was away sees one soon.
 */
export const NOTIFICATION_RETRY_SCHEDULE_MS = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560].map(
  seconds => seconds * 1000,
)

/** A wait as the time scale makes it, never below a millisecond. */
export type WaitScaler = (milliseconds: number) => number

export function createWaitScaler(timeScale: number): WaitScaler {
  return milliseconds => Math.max(1, Math.round(milliseconds / timeScale))
}
