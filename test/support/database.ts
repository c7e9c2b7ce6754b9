import { randomUUID } from 'node:crypto'
import { openOrm } from '../../src/db/client/orm.ts'
import { POSTGRES_VARIABLE } from './shared-postgres.ts'

/** The URL of an empty migrated database of the suite's own; it ends with the PostgreSQL that the suites share. */
export async function createTestDatabase(): Promise<string> {
  const shared = process.env[POSTGRES_VARIABLE]
  if (!shared) throw new Error('The shared PostgreSQL does not run: start the tests through `npm test`.')
  const name = `suite_${randomUUID().replaceAll('-', '')}`
  const beside = new URL(shared)
  const template = beside.pathname.slice(1)
  beside.pathname = '/postgres' // Nobody may be in the one that is copied.
  const orm = await openOrm({ databaseUrl: beside.href })
  await orm.em.fork().execute(`create database ${name} template ${template}`)
  await orm.close()
  beside.pathname = `/${name}`
  return beside.href
}
