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

/** A PostgreSQL of the suite's own with one empty database; what it holds is gone when it stops. */
export async function startPostgres(
  settings: Record<string, string> = FORGETFUL,
): Promise<{ url: string; log(): string; stop(): Promise<void> }> {
  const folder = await temporaryFolder()
  const cluster = await openCluster({
    folder: join(folder.path, 'postgres'),
    password: newPassword(),
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
      await server.kill('SIGQUIT') // At once: nothing of it is read again.
      await release()
      await folder.remove()
    },
  }
}
