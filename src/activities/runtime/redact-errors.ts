import { DriverException } from '@mikro-orm/core'

// biome-ignore lint/suspicious/noExplicitAny: the input of an activity is passed on unchanged.
type RedactedActivities = Record<string, (...input: any[]) => Promise<unknown>>

/**
 * Wraps activities so that their failures contain no data of a row. A PostgreSQL error quotes the row that it refused,
 * and an activity's failure stays in a workflow history: the redacted error names only the code, the constraint and the
 * table.
 */
export function redactErrors<T extends RedactedActivities>(activities: T): T {
  const entries = Object.entries(activities).map(([name, activity]) => [name, redactDriverErrors(activity)])
  return Object.fromEntries(entries) as T
}

function redactDriverErrors(activity: RedactedActivities[string]): RedactedActivities[string] {
  return async (...input) => {
    try {
      return await activity(...input)
    } catch (error) {
      if (!(error instanceof DriverException)) throw error
      const { code, constraint, table } = error as DriverException & Record<string, unknown>
      const summary = [code, constraint, table && `of ${table}`].filter(Boolean).join(' ')
      throw new Error(`The database rejected the statement or is unavailable: ${summary || error.name}`)
    }
  }
}
