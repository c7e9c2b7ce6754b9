/** One statement as PostgreSQL is told it. */
export type Statement = {
  text: string
  /** What stands for $1, $2, … */
  values: readonly unknown[]
  /** Under this name a connection keeps what it has parsed and planned: the next time only the values travel. */
  name?: string
  /** Nobody looks at its answer. */
  isUnheard?: boolean
  /** Hears of its rows, which it is asked for after all else of its transaction, with the end. */
  hearAtTheEnd?: (rows: Record<string, unknown>[]) => void
}

type Kept = { text: string; name: string }

const kept = new Map<string, Kept>()

/**
 * A statement that every connection keeps. Its text, with `?` for each value, is one of the program's own and not of a
 * request: there are as many of them as places that ask. PostgreSQL tells the type of each value by where it stands.
 */
export function keptStatement(sql: string, values: readonly unknown[]): Statement {
  let known = kept.get(sql)
  if (!known) {
    known = { text: numbered(sql), name: `s${kept.size + 1}` }
    kept.set(sql, known)
  }
  return { ...known, values }
}

/** With $1, $2, … for each `?`. */
function numbered(sql: string): string {
  let place = 0
  return sql.replaceAll('?', () => `$${++place}`)
}
