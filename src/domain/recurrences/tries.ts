import { addDays, findBusinessDay } from '../charges/business-days.ts'
import type { ChargeTry } from './charge-try.ts'
import type { RetryPolicy } from './recurrence.ts'
import { TRY_CODES, type TryCodeEffect } from './recurrence-codes.ts'

/** The charge of a cycle, and what was tried. */
export type TriedCharge = {
  retryPolicy: RetryPolicy
  dueDay: string
  /** The due day of the next cycle; null where there is none. */
  nextDueDay: string | null
  tries: ChargeTry[]
}

/** Why a retry cannot be asked for, in the order in which they are looked at. */
export type RetryRefusal =
  | 'not_allowed'
  | 'already_paid'
  | 'charge_ended'
  | 'try_pending'
  | 'no_retries_left'
  | 'not_future'
  | 'outside_retry_period'
  | 'day_already_tried'

/**
 * Days after the due day on which a retry may be, and the most of them: PERMITE_3R_7D of the pix-api. The payer's bank refuses a retry on the
 * eighth day (DTNT) and a fourth one (QUNT), as Woovi describes these codes.
 */
const RETRY_DAYS = 7
const MAX_RETRIES = 3

/** Judges the code of a rejected try. An unknown code fails the try alone: it proves nothing of the charge, and an operator is alerted. */
export function judgeTryCode(code: string): TryCodeEffect | 'unknown' {
  return Object.hasOwn(TRY_CODES, code) ? TRY_CODES[code]! : 'unknown'
}

/**
 * Finds why a retry on a day cannot be asked for; null where it can. The days are calendar days, counted from the due day itself where that is
 * no business day. None is in the next cycle, which has a charge of its own (Asaas' page on retries says so).
 */
export function findRetryRefusal(
  charge: TriedCharge,
  { on, today }: { on: string; today: string },
): RetryRefusal | null {
  const { retryPolicy, dueDay, nextDueDay, tries } = charge
  if (retryPolicy === 'NOT_ALLOWED') return 'not_allowed'
  if (isPaid(tries)) return 'already_paid'
  if (hasEffect(tries, 'ends_charge')) return 'charge_ended'
  if (isTryPending(tries)) return 'try_pending'
  const retries = tries.filter(({ kind }) => kind === 'RETRY')
  if (retries.length >= MAX_RETRIES) return 'no_retries_left'
  if (on <= today) return 'not_future'
  const isInPeriod = on > dueDay && on <= addDays(dueDay, RETRY_DAYS)
  if (!isInPeriod || (nextDueDay !== null && on >= nextDueDay)) return 'outside_retry_period'
  return tries.some(chargeTry => chargeTry.on === on) ? 'day_already_tried' : null
}

/** Lists the days on which a retry can be asked for. */
export function listRetryDays(charge: TriedCharge, today: string): string[] {
  return Array.from({ length: RETRY_DAYS }, (_, offset) => addDays(charge.dueDay, offset + 1)).filter(
    on => findRetryRefusal(charge, { on, today }) === null,
  )
}

/**
 * Tells whether a charge can no longer be debited: a code ended it, or its tries failed and no retry can be asked for. Never before a
 * try is reported, while one is pending, or on the day of one, which its payer's bank may repeat. Whether the charge was paid is for its
 * provider to say.
 */
export function areTriesOver(charge: TriedCharge, today: string): boolean {
  const { dueDay, tries } = charge
  if (isPaid(tries) || isTryPending(tries)) return false
  if (hasEffect(tries, 'ends_charge')) return true
  const isAfterLastTry = [findBusinessDay(dueDay), ...tries.map(({ on }) => on)].every(on => on < today)
  return isAfterLastTry && listRetryDays(charge, today).length === 0
}

function isPaid(tries: ChargeTry[]): boolean {
  return tries.some(({ status }) => status === 'PAID') || hasEffect(tries, 'proves_payment')
}

/** A charge without tries waits for its first one. */
function isTryPending(tries: ChargeTry[]): boolean {
  return tries.length === 0 || tries.some(({ status }) => status === 'REQUESTED' || status === 'SCHEDULED')
}

function hasEffect(tries: ChargeTry[], effect: TryCodeEffect): boolean {
  return tries.some(({ code }) => code !== null && judgeTryCode(code) === effect)
}
