import { resolveTemporalBinary } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { buildTemporalArguments, temporalEnvironment } from '../../packages/dev/services/temporal.ts'
import { type SearchAttribute, waitForTemporal } from '../../src/temporal/readiness.ts'
import { startServer } from './servers.ts'

/** A Temporal server of the suite's own without a UI, in memory unless it has a file, configured for speed. */
export async function startTemporal(
  searchAttributes: readonly SearchAttribute[] = [],
  databaseFile?: string,
): Promise<{ address: string; namespace: string; stop(): Promise<void> }> {
  const config = readLocalConfig()
  const binary = await resolveTemporalBinary({ ...config, print: line => console.info(line) })
  const { port, release } = await reserveFreePort()
  const address = `127.0.0.1:${port}`
  const namespace = 'default'
  const server = startServer(
    binary,
    buildTemporalArguments({ port, namespace, searchAttributes, databaseFile }),
    {
      env: { ...config.environment, ...temporalEnvironment },
    },
  )
  await waitForTemporal({ address }, { namespace, searchAttributes })
  return {
    address,
    namespace,
    stop: async () => {
      // Without stored data, an orderly end would only take a second.
      await server.kill(databaseFile === undefined ? 'SIGKILL' : 'SIGTERM')
      release()
    },
  }
}
