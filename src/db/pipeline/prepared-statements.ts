/** A statement with its values. */
export type Statement = {
  text: string
  /** Values of $1, $2, … */
  values: readonly unknown[]
  /** Name under which a connection keeps the prepared statement; later executions send only the values. */
  name?: string
  /** The result is not read. */
  discardResult?: boolean
  /** Receives the rows. Such a statement runs after all others of its transaction, in the message of the commit. */
  onCommit?: (rows: Record<string, unknown>[]) => void
}

type PreparedText = { text: string; name: string }

const preparedTexts = new Map<string, PreparedText>()

/**
 * Returns a prepared statement that every connection keeps. The text has `?` for each value and is a constant of the
 * code, never built from a request, so the number of names is bounded. PostgreSQL infers the type of each value from
 * its position.
 */
export function prepareStatement(sql: string, values: readonly unknown[]): Statement {
  let prepared = preparedTexts.get(sql)
  if (!prepared) {
    prepared = { text: numberPlaceholders(sql), name: `s${preparedTexts.size + 1}` }
    preparedTexts.set(sql, prepared)
  }
  return { ...prepared, values }
}

function numberPlaceholders(sql: string): string {
  let index = 0
  return sql.replaceAll('?', () => `$${++index}`)
}
