import { migrate } from '../../src/db/client/migrate.ts'
import { startPostgres } from './postgres.ts'

/** Where the suites find the PostgreSQL they share, and in it the database that theirs are copied from. */
export const POSTGRES_VARIABLE = 'TRILHO_TEST_SHARED_POSTGRES'

declare global {
  var sharedPostgres: Awaited<ReturnType<typeof startPostgres>> | undefined
}

/** Before the first suite: one PostgreSQL for all that need no more of it than a database of their own. */
export default async function startSharedPostgres(): Promise<void> {
  const postgres = await startPostgres()
  globalThis.sharedPostgres = postgres
  // A run that is called off ends what it has begun, and then as it was told to.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void postgres.stop().finally(() => process.kill(process.pid, signal)))
  const { url } = postgres
  await migrate(url)
  process.env[POSTGRES_VARIABLE] = url
}
