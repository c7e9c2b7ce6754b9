/** Every wait of the simulator at time scale 1; `TRILHO_TIME_SCALE` divides them. */
export const SIMULATOR_WAITS_MS = {
  /** From accepting a transfer or devolução to its settlement: long enough for a look-up to find it in process. */
  settle: 200,
  /** Delay of a slow answer, below the timeout of callers. */
  slow: 3_000,
  /** Time after which a connection without an answer is closed, for callers without a timeout. */
  silence: 60_000,
  /** Time that an accepted transfer or devolução stays in process before it settles without a notification. */
  silentSettlement: 60_000,
  /** Delay of a reordered notification, so that later ones arrive first. */
  reorder: 2_000,
  /** From the settlement of a transfer to its recipient's return. */
  recipientReturn: 500,
  /** From the refusal of an order that the provider stores to its removal in the panel. */
  orderRemoval: 10_000,
  /** From the rejection of a refund to its settlement all the same. */
  settlementAfterRejection: 120_000,
  /** Time that Efí takes for a report of the statement ("Boa Prática"). */
  report: 30_000,
  /** From the notification of a received PIX to its appearance in look-ups and lists. */
  listingDelay: 30_000,
  /** Time that Efí grants the receiver of a notification. */
  notificationResponse: 60_000,
} as const

/**
 * Waits between the attempts of a notification. Efí waits 5, 10, 20 … minutes (webhooks, "Receiving callbacks"); here
 * they are seconds, so that a receiver that was down gets it soon.
 */
export const NOTIFICATION_RETRY_SCHEDULE_MS = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560].map(
  seconds => seconds * 1000,
)

/** Scales a wait by the time scale, to at least one millisecond. */
export type WaitScaler = (milliseconds: number) => number

export function createWaitScaler(timeScale: number): WaitScaler {
  return milliseconds => Math.max(1, Math.round(milliseconds / timeScale))
}
