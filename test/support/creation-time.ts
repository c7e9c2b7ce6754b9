let latestMs = 0

/**
 * A time of creation for a row of a test, later than all that were given before: rows are listed by it, to the
 * millisecond, and two inserts may fall into one.
 */
export function nextCreationTime(): Date {
  latestMs = Math.max(Date.now(), latestMs + 1)
  return new Date(latestMs)
}
