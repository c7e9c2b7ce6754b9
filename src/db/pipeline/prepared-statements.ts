/** One statement as PostgreSQL is told it. */
export type Statement = {
  text: string
  /** What stands for $1, $2, … */
  values: readonly unknown[]
  /** Under this name a connection keeps what it has parsed and planned: the next time only the values travel. */
  name?: string
  /** Nobody looks at its answer. */
  discardResult?: boolean
  /** Hears of its rows, which it is asked for after all else of its transaction, with the end. */
  onCommit?: (rows: Record<string, unknown>[]) => void
}

type PreparedText = { text: string; name: string }

const preparedTexts = new Map<string, PreparedText>()

/**
 * A statement that every connection keeps. Its text, with `?` for each value, is one of the program's own and not of a
 * request: there are as many of them as places that ask. PostgreSQL tells the type of each value by where it stands.
 */
export function prepareStatement(sql: string, values: readonly unknown[]): Statement {
  let known = preparedTexts.get(sql)
  if (!known) {
    known = { text: numberPlaceholders(sql), name: `s${preparedTexts.size + 1}` }
    preparedTexts.set(sql, known)
  }
  return { ...known, values }
}

/** With $1, $2, … for each `?`. */
function numberPlaceholders(sql: string): string {
  let place = 0
  return sql.replaceAll('?', () => `$${++place}`)
}
