import { z } from 'zod'
import { DAY, HOUR, SECOND } from '../../domain/shared/intervals.ts'

/** Days in a time zone, which the queries of lists and reports name. */

/** Tests whether a text names a time zone of the IANA database, in any case; a bare offset such as `-03:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    getOffsetFormat(name)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the first moment of a day (`YYYY-MM-DD`) in a time zone: the first whose local time is that day's midnight or
 * later. Where clocks are set forward over midnight, the day begins at the change; a day that a zone left out begins and
 * ends at one moment. Limited to the years 1 to 9999, which PostgreSQL and ISO 8601 write alike.
 */
export function startOfDay(day: string, timeZone: string): Date {
  return findFirstMoment(Date.parse(`${day}T00:00:00Z`), timeZone)
}

/** Local time as a `datetime-local` field has it. */
export const localTimeSchema = z.iso
  .datetime({ local: true, precision: -1 })
  .refine(text => !text.endsWith('Z'), 'must be a local time, as in 2026-11-27T08:30')

/**
 * Returns the moment of a local time (`YYYY-MM-DDTHH:MM`) in a time zone: the first one, where clocks are set back over
 * it; the change, where they are set forward over it.
 */
export function momentOfLocalTime(text: string, timeZone: string): Date {
  return findFirstMoment(Date.parse(`${text}:00Z`), timeZone)
}

/** Finds the first moment whose local time, as if it were UTC, is `localMs` or later. */
function findFirstMoment(localMs: number, timeZone: string): Date {
  let [before, from] = [localMs - MAX_OFFSET_MS, localMs + MAX_OFFSET_MS]
  const offset = readOffsetMs(before, timeZone)
  if (readOffsetMs(from, timeZone) === offset) from = localMs - offset
  // The clocks change near this time: halves the time in which it is, to the second.
  else
    while (from - before > SECOND) {
      const middle = before + Math.floor((from - before) / 2 / SECOND) * SECOND
      if (middle + readOffsetMs(middle, timeZone) >= localMs) from = middle
      else before = middle
    }
  return new Date(Math.min(Math.max(from, EARLIEST_TIME_MS), LATEST_TIME_MS))
}

/** Lists the last days by the clocks of a time zone, each with its first moment; the last one is today. */
export function listLastDays(
  count: number,
  timeZone: string,
  now = new Date(),
): { day: string; beginsAt: Date }[] {
  const today = Date.parse(createLocalClock(timeZone)(now).slice(0, 'YYYY-MM-DD'.length))
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(today - (count - 1 - index) * DAY).toISOString().slice(0, 10)
    return { day, beginsAt: startOfDay(day, timeZone) }
  })
}

/** Returns the first moment after a day (`YYYY-MM-DD`) in a time zone; people write `9999-12-31` for "without end". */
export function endOfDay(day: string, timeZone: string): Date {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY)
  if (next.getTime() > LATEST_TIME_MS) return new Date(LATEST_TIME_MS)
  return startOfDay(next.toISOString().slice(0, 10), timeZone)
}

/** More than any zone ever differed from UTC: Manila by 15:56 before 1844, Juneau by 15:02 before 1867. */
const MAX_OFFSET_MS = 16 * HOUR
const EARLIEST_TIME_MS = Date.parse('0001-01-01T00:00:00Z')
const LATEST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Reads how far a zone's local time is ahead of UTC at a moment. */
function readOffsetMs(atMs: number, timeZone: string): number {
  const text = getOffsetFormat(timeZone).format(atMs)
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? []
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND
  return sign === '-' ? -ms : ms
}

/** Kept by name, because making one costs a hundred times what formatting does; as many as zones have been named. */
const OFFSET_FORMATS = new Map<string, Intl.DateTimeFormat>()

function getOffsetFormat(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase()
  const cachedFormat = OFFSET_FORMATS.get(name)
  if (cachedFormat) return cachedFormat
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  OFFSET_FORMATS.set(name, format)
  return format
}

/** Creates the clock of a time zone, which writes a moment as `YYYY-MM-DD HH:MM:SS`; Swedish writes times as ISO 8601 does. */
export function createLocalClock(timeZone: string): (at: Date) => string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format
}
