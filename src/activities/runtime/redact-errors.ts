import { DriverException } from '@mikro-orm/core'

// biome-ignore lint/suspicious/noExplicitAny: whatever an activity takes is handed on.
type RedactedActivities = Record<string, (...input: any[]) => Promise<unknown>>

/**
 * Activities whose failures quote nobody. PostgreSQL's error tells the row that it refused, and an activity's failure
 * stands in a history for good: what is left of it names the rule that was broken.
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
      const what = [code, constraint, table && `of ${table}`].filter(Boolean).join(' ')
      throw new Error(`The database refused or was away: ${what || error.name}`)
    }
  }
}
