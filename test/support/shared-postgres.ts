import { migrate } from '../../src/db/client/migrate.ts'
import { startPostgres } from './postgres.ts'

/** Where the suites find the PostgreSQL they share, with the template of their databases. */
export const POSTGRES_VARIABLE = 'TRILHO_TEST_SHARED_POSTGRES'

declare global {
  var sharedPostgres: Awaited<ReturnType<typeof startPostgres>> | undefined
}

/** Before the first suite: one PostgreSQL for all that need only a database of their own. */
export default async function startSharedPostgres(): Promise<void> {
  const postgres = await startPostgres()
  globalThis.sharedPostgres = postgres
  // An interrupted run ends what it has started, and then itself by the same signal.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void postgres.stop().finally(() => process.kill(process.pid, signal)))
  const { url } = postgres
  await migrate(url)
  process.env[POSTGRES_VARIABLE] = url
}
