import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { POSTGRES_VARIABLE } from './shared-postgres.ts'

/** The URL of an empty migrated database of the suite's own; it ends with the PostgreSQL that the suites share. */
export async function createTestDatabase(): Promise<string> {
  const shared = process.env[POSTGRES_VARIABLE]
  if (!shared) throw new Error('The shared PostgreSQL does not run: start the tests through `npm test`.')
  const name = `suite_${randomUUID().replaceAll('-', '')}`
  const target = new URL(shared)
  const template = target.pathname.slice(1)
  target.pathname = '/postgres' // No session may use the database that is copied.
  const pool = new Pool({ connectionString: target.href, max: 1 })
  // Through the write-ahead log, the default, each copy would take five times as much of a processor.
  await pool.query(`create database ${name} template ${template} strategy file_copy`)
  await pool.end()
  target.pathname = `/${name}`
  return target.href
}
