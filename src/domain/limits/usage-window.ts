import { DAY, HOUR, MINUTE } from '../shared/intervals.ts'
import { type AccountLimits, countNightMinutes, type NightHours } from './account-limits.ts'

/** What a counter counts: a day or a night of the account, a day of one receiver, or all that a new receiver got. */
export type UsageWindowName = 'day' | 'night' | 'new_receiver' | 'receiver_day'

/**
 * Key of a counter of an account. `startsOn`: the day of Brasília on which the window begins, `YYYY-MM-DD`; of a night the day
 * of the noon before it; of a new receiver the first day of the calendar, because its window has no end of its own. `receiverHash`: empty where it counts all receivers.
 */
export type UsageWindow = { name: UsageWindowName; startsOn: string; receiverHash: string }

/** Brasília is three hours behind UTC all year: Brazil has had no daylight saving time since 2019. */
const BRASILIA_OFFSET_MS = -3 * HOUR

const NOON_MS = 12 * HOUR

/** Start of the window of a new receiver. */
const NO_DAY = '0001-01-01'

/** Windows in which an order counts, and when those that end by the clock do. */
export type OrderWindows = { windows: UsageWindow[]; dayEndsAt: Date; nightEndsAt: Date | null }

/**
 * Lists the windows in which money that leaves now counts. `receiverHash`: of a transfer; a refund counts per day only.
 * `isNewReceiver`: the receiver's window of `newReceiver` is open.
 */
export function listOrderWindows(
  { night }: Pick<AccountLimits, 'night'>,
  at: Date,
  { receiverHash, isNewReceiver = false }: { receiverHash: string | null; isNewReceiver?: boolean },
): OrderWindows {
  const startsOn = dayOf(at)
  const dayEndsAt = startOfDay(startsOn, 1)
  const windows = listUsageWindows({ night }, at)
  if (receiverHash === null)
    return { windows: windows.filter(({ name }) => name === 'day'), dayEndsAt, nightEndsAt: null }
  if (isNewReceiver) windows.push({ name: 'new_receiver', startsOn: NO_DAY, receiverHash })
  windows.push({ name: 'receiver_day', startsOn, receiverHash })
  return { windows, dayEndsAt, nightEndsAt: findNight(night, at)?.endsAt ?? null }
}

/** Lists the windows of a moment that count all receivers. */
export function listUsageWindows({ night }: Pick<AccountLimits, 'night'>, at: Date): UsageWindow[] {
  const currentNight = findNight(night, at)
  return [
    { name: 'day', startsOn: dayOf(at), receiverHash: '' },
    ...(currentNight ? [{ name: 'night' as const, startsOn: currentNight.startsOn, receiverHash: '' }] : []),
  ]
}

/** Finds the night that a moment is in: the day of the noon before it, and its end; null in daytime. */
export function findNight(night: NightHours, at: Date): { startsOn: string; endsAt: Date } | null {
  const startsOn = dayOf(new Date(at.getTime() - NOON_MS))
  const noonMs = startOfDay(startsOn).getTime() + NOON_MS
  const { fromMinutes, toMinutes } = countNightMinutes(night)
  const endsAt = new Date(noonMs + toMinutes * MINUTE)
  return noonMs + fromMinutes * MINUTE <= at.getTime() && at < endsAt ? { startsOn, endsAt } : null
}

/** Returns the day of Brasília that a moment is in, `YYYY-MM-DD`. */
function dayOf(at: Date): string {
  return new Date(at.getTime() + BRASILIA_OFFSET_MS).toISOString().slice(0, 10)
}

/** Returns the first moment of a day of Brasília, or of one that is days later. */
function startOfDay(day: string, daysLater = 0): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) - BRASILIA_OFFSET_MS + daysLater * DAY)
}
