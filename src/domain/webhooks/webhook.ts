import { DAY, HOUR, MINUTE, SECOND } from '../shared/intervals.ts'

/** api-document.txt, Events: what an endpoint subscribes to. */
export const DEFAULT_EVENT_TYPES = ['PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION'] as const
/** An endpoint that names no events receives the default ones; the others are delivered where they are named. */
export const SUBSCRIBABLE_EVENT_TYPES = [...DEFAULT_EVENT_TYPES, 'BATCH', 'RECURRENCE', 'REPORT'] as const
export type SubscribableEventType = (typeof SUBSCRIBABLE_EVENT_TYPES)[number]
/** A TEST event is sent to one endpoint, on request of the merchant. */
export const EVENT_TYPES = [...SUBSCRIBABLE_EVENT_TYPES, 'TEST'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Webhook retry schedule (SPEC §8): the waits before each attempt after the first, 75 h in all. */
export const RETRY_SCHEDULE_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  DAY,
]

/** An endpoint without a success for this long is disabled (SPEC §8). */
export const DISABLE_AFTER_MS = 5 * DAY

/**
 * How many whole UTC days an event can be read, and how its deliveries went (SPEC §8). It is a promise and no wait: no
 * time scale divides it.
 */
export const EVENT_RETENTION_DAYS = 30

/** The first moment, by UTC days, whose events can be read at `now`; days, because they are counted by day. */
export function eventRetentionStartOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY) * DAY - EVENT_RETENTION_DAYS * DAY)
}

/** Limit of replaced signing secrets that still sign in addition to the current one, however often they are rotated. */
export const MAX_PREVIOUS_SECRETS = 9

/** Why an endpoint is DISABLED, as its owner reads it. */
export const DISABLED_REASONS = {
  gone: 'the endpoint answered 410 Gone',
  silent: 'no success for five days',
  asked: 'disabled by the account',
} as const

/**
 * Delay before the next delivery attempt in milliseconds, or null after the last. `attempts`: so far; `chance` in [0, 1)
 * spreads the attempts after an outage over a fifth of the wait; a longer `Retry-After` is honoured, up to a day.
 */
export function retryDelayMs(attempts: number, chance: number, retryAfterMs = 0): number | null {
  const wait = RETRY_SCHEDULE_MS[attempts - 1]
  if (wait === undefined) return null
  return Math.max(Math.round(wait * (0.9 + chance * 0.2)), Math.min(retryAfterMs, DAY))
}
