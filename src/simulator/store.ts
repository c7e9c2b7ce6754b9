import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { SCHEMA_STEPS } from './schema/schema-steps.ts'

/** The simulator's whole state: one SQLite file, so that a killed process loses nothing it acknowledged. */
export type SimulatorStore = {
  /** The first row, or undefined. */
  first<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[]
  /** Adds a row; its fields are the table's columns. */
  insert(table: string, row: Record<string, SQLInputValue>): void
  /** How many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number
  /** All of it or nothing; inside another, it joins that one. */
  inTransaction<T>(work: () => T): T
  /** Counts up from 1, one count a name. */
  nextCount(name: string): number
  close(): void
}

/** Opens `<home>/simulator.db`, making it where there is none. */
export function openStore(home: string): SimulatorStore {
  mkdirSync(home, { recursive: true })
  const database = new DatabaseSync(join(home, 'simulator.db'))
  // With WAL, NORMAL survives the death of the process; only the machine's death may take the last commits. One process
  // has the file at a time, and then needs no lock of the system for each statement.
  database.exec(
    'PRAGMA busy_timeout = 5000; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
  )
  migrateStore(database)

  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  let open = false

  const store: SimulatorStore = {
    first: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values) as Row[],
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    insert: (table, row) => {
      const columns = Object.keys(row)
      const marks = columns.map(() => '?')
      prepared(`INSERT INTO ${table} (${columns}) VALUES (${marks})`).run(...Object.values(row))
    },
    inTransaction: work => {
      if (open) return work()
      prepared('BEGIN IMMEDIATE').run()
      open = true
      try {
        const result = work()
        prepared('COMMIT').run()
        return result
      } catch (error) {
        prepared('ROLLBACK').run()
        throw error
      } finally {
        open = false
      }
    },
    nextCount: name =>
      store.first<{ value: number }>(
        `INSERT INTO counter VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
        name,
      )!.value,
    close: () => database.close(),
  }
  return store
}

function migrateStore(database: DatabaseSync): void {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number }
  for (let step = row.user_version; step < SCHEMA_STEPS.length; step++) {
    database.exec(`BEGIN; ${SCHEMA_STEPS[step]}; PRAGMA user_version = ${step + 1}; COMMIT`)
  }
}
