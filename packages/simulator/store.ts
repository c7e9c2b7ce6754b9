import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { SCHEMA_STEPS } from './schema/steps.ts'

/** Stores the simulator's whole state in one SQLite file, so that a killed process loses nothing it acknowledged. */
export type SimulatorStore = {
  /** Reads the first row, or undefined. */
  first<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[]
  /** Inserts a row; its fields are named as the table's columns. */
  insert(table: string, row: Record<string, SQLInputValue>): void
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number
  /** Runs `work` in a transaction; a nested call joins the outer transaction. */
  inTransaction<T>(work: () => T): T
  /** Increments the counter of a name, which starts at 1. */
  nextCount(name: string): number
  close(): void
}

/**
 * Opens `<home>/simulator.db`, or creates it, and applies missing schema steps; throws for a store of a later
 * version.
 */
export function openStore(home: string): SimulatorStore {
  mkdirSync(home, { recursive: true })
  const database = new DatabaseSync(join(home, 'simulator.db'))
  // With WAL, NORMAL keeps every commit when the process is killed; only a crash of the machine may lose the last ones. The
  // exclusive lock spares a file lock per statement: one process has the file at a time.
  database.exec(
    'PRAGMA busy_timeout = 5000; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
  )
  migrateStore(database)

  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  let isTransactionOpen = false

  const store: SimulatorStore = {
    first: <Row>(sql: string, ...values: SQLInputValue[]) => prepare(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepare(sql).all(...values) as Row[],
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    insert: (table, row) => {
      const columns = Object.keys(row)
      const placeholders = columns.map(() => '?')
      prepare(`INSERT INTO ${table} (${columns}) VALUES (${placeholders})`).run(...Object.values(row))
    },
    inTransaction: work => {
      if (isTransactionOpen) return work()
      prepare('BEGIN IMMEDIATE').run()
      isTransactionOpen = true
      try {
        const result = work()
        prepare('COMMIT').run()
        return result
      } catch (error) {
        prepare('ROLLBACK').run()
        throw error
      } finally {
        isTransactionOpen = false
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
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (version > SCHEMA_STEPS.length)
    throw new Error('simulator.db is from another version of the simulator: delete it and start again')
  for (let step = version; step < SCHEMA_STEPS.length; step++) {
    database.exec(`BEGIN; ${SCHEMA_STEPS[step]}; PRAGMA user_version = ${step + 1}; COMMIT`)
  }
}
