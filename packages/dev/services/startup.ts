import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { type SearchAttribute, waitForTemporal } from '../../../src/temporal/readiness.ts'
import { resolveTemporalBinary } from '../binaries/temporal-binary.ts'
import type { LocalConfig } from '../config.ts'
import type { SimulatorInfo } from '../demo/demo.ts'
import { readOrCreateSecret, type StateDir, tryReadJsonFile } from '../env/state-dir.ts'
import type { Ports } from '../os/ports.ts'
import { type PrintLine, WAIT_LIMITS } from '../os/waits.ts'
import { signalProcess } from '../process/identity.ts'
import type { ChildProcessPlan, Supervisor } from '../process/supervisor.ts'
import {
  buildDatabaseUrl,
  buildPostgresCommand,
  generatePostgresPassword,
  isAcceptingConnections,
  openPostgresCluster,
  removeStalePidFile,
} from './postgres.ts'
import {
  buildTemporalArguments,
  isTemporalAnswering,
  temporalEnvironment,
  watchTemporal,
} from './temporal.ts'

/** Where a start happens and what it happens with. */
export type StackContext = {
  config: LocalConfig
  home: StateDir
  ports: Ports
  processes: Supervisor
  print: PrintLine
  abort: AbortSignal
}

/** Returns its DATABASE_URL once it accepts connections. */
export async function startPostgres(site: StackContext): Promise<string> {
  const { config, home, ports, processes, print, abort } = site
  print(`${existsSync(home.postgres) ? 'Starting' : 'Creating and starting'} PostgreSQL …`)
  const password = await readOrCreateSecret(home.postgresPassword, generatePostgresPassword)
  const cluster = await openPostgresCluster({ folder: home.postgres, password, abort })
  await removeStalePidFile(cluster)
  processes.start({
    name: 'postgres',
    ...buildPostgresCommand(cluster, { port: ports.postgres }),
    env: config.environment,
    cwd: '/',
  })
  const isReady = () => {
    const server = processes.identityOf('postgres')
    return server && isAcceptingConnections(cluster, server)
  }
  const description = `PostgreSQL does not start; see ${home.log('postgres')}`
  await waitUntil(isReady, { description, limitMs: WAIT_LIMITS.postgresMs, abort })
  return buildDatabaseUrl(cluster, ports.postgres)
}

/** Returns the address of the server that was given, else of our own, once its namespace answers. */
export async function connectOrStartTemporal(
  site: StackContext,
  searchAttributes: readonly SearchAttribute[],
): Promise<string> {
  const { config, processes, print, abort } = site
  print(
    config.temporalAddress ? `Connecting to Temporal at ${config.temporalAddress} …` : 'Starting Temporal …',
  )
  const address = config.temporalAddress ?? (await startTemporal(site, searchAttributes))
  await waitForTemporal(
    { address, credentials: config.temporalCredentials },
    { namespace: config.temporalNamespace, searchAttributes },
    abort,
  )
  if (!config.temporalAddress)
    void watchTemporal({
      check: () => isTemporalAnswering(address, config.temporalNamespace),
      restart() {
        const server = processes.identityOf('temporal')
        if (!server) return // Its supervisor is about to start it.
        print('temporal answers no call and is ended.')
        signalProcess(server, 'SIGKILL')
      },
      abort,
    })
  return address
}

async function startTemporal(
  { config, home, ports, processes, print, abort }: StackContext,
  searchAttributes: readonly SearchAttribute[],
): Promise<string> {
  processes.start({
    name: 'temporal',
    command: await resolveTemporalBinary({ ...config, print, abort }),
    args: buildTemporalArguments({
      port: ports.temporal,
      uiPort: ports.temporalUi,
      databaseFile: home.temporalDatabase,
      namespace: config.temporalNamespace,
      searchAttributes,
    }),
    env: { ...config.environment, ...temporalEnvironment },
    cwd: home.folder,
    umask: 0o077, // Its database is readable by this user only, also in a home that others may enter.
  })
  return `127.0.0.1:${ports.temporal}`
}

/** Returns what it says of itself once it listens. */
export async function startSimulatorProcess(
  { home, processes, print, abort }: StackContext,
  plan: ChildProcessPlan,
): Promise<SimulatorInfo> {
  const file = join(home.simulator, 'simulator.json')
  await rm(file, { force: true })
  print('Starting the simulator of the providers …')
  processes.start(plan)
  const description = `The simulator does not start; see ${home.log('simulator')}`
  const limitMs = WAIT_LIMITS.simulatorMs
  return waitUntil(() => tryReadJsonFile<SimulatorInfo>(file), { description, limitMs, abort })
}

/** Waits until an API or a worker answers that it and all it needs are ready. */
export async function waitUntilReady(url: string, abort: AbortSignal): Promise<void> {
  let last = 'no answer'
  const isReady = async () => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(WAIT_LIMITS.readyzMs) })
    last = `${answer.status} ${await answer.text()}`
    return answer.ok
  }
  const description = () => `${url}/readyz does not answer 200; last: ${last}`
  await waitUntil(() => isReady().catch(() => false), { description, limitMs: WAIT_LIMITS.readyMs, abort })
}
