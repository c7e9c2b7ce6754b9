import { readLocalConfig } from '../../src/config.ts'
import { freePort } from '../../src/local/ports.ts'
import {
  type SearchAttribute,
  temporalArguments,
  temporalEnvironment,
  temporalIsHealthy,
} from '../../src/local/temporal.ts'
import { temporalBinary } from '../../src/local/temporal-binary.ts'
import { startServer } from './servers.ts'

/** A Temporal server of the suite's own without a UI, in memory unless it has a file, as fast as it goes. */
export async function startTemporal(
  searchAttributes: readonly SearchAttribute[] = [],
  databaseFile?: string,
): Promise<{ address: string; namespace: string; stop(): Promise<void> }> {
  const config = readLocalConfig()
  const binary = await temporalBinary({ ...config, say: line => console.info(line) })
  const { port, release } = await freePort()
  const address = `127.0.0.1:${port}`
  const namespace = 'default'
  const server = startServer(binary, temporalArguments({ port, namespace, searchAttributes, databaseFile }), {
    env: { ...config.environment, ...temporalEnvironment },
  })
  await temporalIsHealthy(address, { namespace, searchAttributes })
  return {
    address,
    namespace,
    stop: async () => {
      // Where it keeps nothing, an ordered end would only take a second.
      await server.kill(databaseFile === undefined ? 'SIGKILL' : 'SIGTERM')
      await release()
    },
  }
}
