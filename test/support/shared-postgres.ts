import { migrate } from '../../src/db/orm.ts'
import { startPostgres } from './postgres.ts'

/** Where the suites find the PostgreSQL they share, and in it the database that theirs are copied from. */
export const POSTGRES_VARIABLE = 'TRILHO_TEST_SHARED_POSTGRES'

declare global {
  var sharedPostgres: Awaited<ReturnType<typeof startPostgres>> | undefined
}

/** Before the first suite: one PostgreSQL for all that need no more of it than a database of their own. */
export default async function startSharedPostgres(): Promise<void> {
  globalThis.sharedPostgres = await startPostgres()
  const { url } = globalThis.sharedPostgres
  await migrate(url)
  process.env[POSTGRES_VARIABLE] = url
}
