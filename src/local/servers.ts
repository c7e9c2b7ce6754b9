import { join } from 'node:path'
import type { LocalConfig } from '../config.ts'
import type { SimulatorInfo } from './demo.ts'
import { type Home, keptSecret, readJson, remove } from './home.ts'
import type { Ports } from './ports.ts'
import {
  acceptsConnections,
  databaseUrl,
  dropStalePidFile,
  newPassword,
  openCluster,
  postgresCommand,
} from './postgres.ts'
import type { ChildPlan, Processes } from './processes.ts'
import {
  type SearchAttribute,
  temporalArguments,
  temporalEnvironment,
  temporalIsHealthy,
} from './temporal.ts'
import { temporalBinary } from './temporal-binary.ts'
import { LIMITS, type Say, waitUntil } from './waiting.ts'

/** Where a start happens and what it happens with. */
export type Site = {
  config: LocalConfig
  home: Home
  ports: Ports
  processes: Processes
  say: Say
  abort: AbortSignal
}

/** Returns its DATABASE_URL once it accepts connections. */
export async function startPostgres({ config, home, ports, processes, abort }: Site): Promise<string> {
  const password = await keptSecret(home.postgresPassword, newPassword)
  const cluster = await openCluster({ folder: home.postgres, password, path: config.path, abort })
  await dropStalePidFile(cluster)
  processes.start({
    name: 'postgres',
    ...postgresCommand(cluster, { port: ports.postgres }),
    env: config.environment,
    cwd: '/',
  })
  await waitUntil(
    () => {
      const server = processes.identityOf('postgres')
      return server && acceptsConnections(cluster, server)
    },
    { what: `PostgreSQL does not start; see ${home.log('postgres')}`, limitMs: LIMITS.postgresMs, abort },
  )
  return databaseUrl(cluster, ports.postgres)
}

/** Returns the address of the server that was given, else of our own, once its namespace answers. */
export async function openTemporal(
  site: Site,
  searchAttributes: readonly SearchAttribute[],
): Promise<string> {
  const { config, abort } = site
  const address = config.temporalAddress ?? (await startTemporal(site, searchAttributes))
  await temporalIsHealthy(address, { namespace: config.temporalNamespace, searchAttributes }, abort)
  return address
}

async function startTemporal(
  { config, home, ports, processes, say, abort }: Site,
  searchAttributes: readonly SearchAttribute[],
): Promise<string> {
  processes.start({
    name: 'temporal',
    command: await temporalBinary({ ...config, say, abort }),
    args: temporalArguments({
      port: ports.temporal,
      uiPort: ports.temporalUi,
      databaseFile: home.temporalDatabase,
      namespace: config.temporalNamespace,
      searchAttributes,
    }),
    env: { ...config.environment, ...temporalEnvironment },
    cwd: home.folder,
  })
  return `127.0.0.1:${ports.temporal}`
}

/** Returns what it says of itself once it listens. */
export async function startSimulator(
  { home, processes, abort }: Site,
  plan: ChildPlan,
): Promise<SimulatorInfo> {
  const file = join(home.simulator, 'simulator.json')
  await remove(file)
  processes.start(plan)
  const what = `The simulator does not start; see ${home.log('simulator')}`
  return waitUntil(() => readJson<SimulatorInfo>(file), { what, limitMs: LIMITS.simulatorMs, abort })
}

/** Waits until the API says that it and all it needs are ready. */
export async function apiIsReady(url: string, abort: AbortSignal): Promise<void> {
  let last = 'no answer'
  const ready = async () => {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LIMITS.readyzMs) })
      last = `${answer.status} ${await answer.text()}`
      return answer.ok
    } catch {
      return false
    }
  }
  const what = () => `${url}/readyz does not answer 200; last: ${last}`
  await waitUntil(ready, { what, limitMs: LIMITS.apiMs, abort })
}
