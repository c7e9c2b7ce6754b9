import { join } from 'node:path'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { WAIT_LIMITS } from '../../packages/dev/os/waits.ts'
import { findProcessIdentity } from '../../packages/dev/process/identity.ts'
import {
  buildDatabaseUrl,
  buildPostgresCommand,
  generatePostgresPassword,
  isAcceptingConnections,
  openPostgresCluster,
} from '../../packages/dev/services/postgres.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { createTemporaryFolder, startServer } from './servers.ts'

/** Without durability, for speed: a suite's database need not survive a power failure. */
const NON_DURABLE_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Existing data, which stays when the server stops. */
export type ExistingCluster = { folder: string; password: string }

/** A PostgreSQL of the suite's own with one empty database; its data is removed when it stops, unless it is kept. */
export async function startPostgres(
  settings: Record<string, string> = NON_DURABLE_SETTINGS,
  kept?: ExistingCluster,
): Promise<{ url: string; log(): string; stop(): Promise<void> }> {
  const temporary = kept ? null : await createTemporaryFolder()
  const cluster = await openPostgresCluster(
    kept ?? { folder: join(temporary!.path, 'postgres'), password: generatePostgresPassword() },
  )
  const { port, release } = await reserveFreePort()
  const { command, args, ...ids } = buildPostgresCommand(cluster, { port, settings })
  const server = startServer(command, args, ids)
  await waitUntil(
    () => {
      const identity = findProcessIdentity(server.pid)
      return identity && isAcceptingConnections(cluster, identity)
    },
    { description: 'PostgreSQL does not start', limitMs: WAIT_LIMITS.postgresMs, everyMs: 20 },
  )
  return {
    url: buildDatabaseUrl(cluster, port),
    log: () => server.output(),
    stop: async () => {
      await server.kill(kept ? 'SIGINT' : 'SIGQUIT') // Immediately where its data is not read again.
      release()
      await temporary?.remove()
    },
  }
}
