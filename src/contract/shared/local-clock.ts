/** A moment as the clocks of a time zone show it. */
export type LocalTime = {
  /** `YYYY-MM-DD HH:MM:SS` */
  text: string
  /** How far the zone is ahead of UTC. */
  offsetMinutes: number
}

/** Creates the clock of a time zone; Swedish writes times as ISO 8601 does. */
export function createLocalClock(timeZone: string): (at: Date) => LocalTime {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return at => {
    const text = format.format(at)
    return {
      text,
      offsetMinutes: Math.round((Date.parse(`${text.replace(' ', 'T')}Z`) - at.getTime()) / 60_000),
    }
  }
}
