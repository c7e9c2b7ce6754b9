/** A change of status, by the clock of recurrences. */
export type StatusChange<Status extends string> = { status: Status; at: string }

/** Appends a change of status to a history, JSON. */
export function appendToHistory<Status extends string>(
  history: string,
  change: StatusChange<Status>,
): string {
  return JSON.stringify([...parseHistory<Status>(history), change])
}

export function parseHistory<Status extends string>(history: string): StatusChange<Status>[] {
  return JSON.parse(history) as StatusChange<Status>[]
}
