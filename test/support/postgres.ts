import { join } from 'node:path'
import { readLocalConfig } from '../../src/config.ts'
import { identityOf } from '../../src/local/identity.ts'
import { freePort } from '../../src/local/ports.ts'
import {
  acceptsConnections,
  databaseUrl,
  newPassword,
  openCluster,
  postgresCommand,
} from '../../src/local/postgres.ts'
import { LIMITS, waitUntil } from '../../src/local/waiting.ts'
import { startServer, temporaryFolder } from './servers.ts'

/** As fast as it goes: what a suite's database holds need not outlive a loss of power. */
const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Data that is there already, and stays when the server stops. */
export type Kept = { folder: string; password: string }

/** A PostgreSQL of the suite's own with one empty database; what it holds is gone when it stops, unless it is kept. */
export async function startPostgres(
  settings: Record<string, string> = FORGETFUL,
  kept?: Kept,
): Promise<{ url: string; log(): string; stop(): Promise<void> }> {
  const temporary = kept ? null : await temporaryFolder()
  const cluster = await openCluster({
    ...(kept ?? { folder: join(temporary!.path, 'postgres'), password: newPassword() }),
    path: readLocalConfig().path,
  })
  const { port, release } = await freePort()
  const { command, args, ...ids } = postgresCommand(cluster, { port, settings })
  const server = startServer(command, args, ids)
  await waitUntil(
    () => {
      const identity = identityOf(server.pid)
      return identity && acceptsConnections(cluster, identity)
    },
    { what: 'PostgreSQL does not start', limitMs: LIMITS.postgresMs, everyMs: 20 },
  )
  return {
    url: databaseUrl(cluster, port),
    log: () => server.said(),
    stop: async () => {
      await server.kill(kept ? 'SIGINT' : 'SIGQUIT') // At once where nothing of it is read again.
      await release()
      await temporary?.remove()
    },
  }
}
