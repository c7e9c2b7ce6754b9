import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SearchAttribute } from '../../src/temporal/readiness.ts'
import { type ProgramPlan, runDemoProgram } from './demo/demo-program.ts'
import { withReachableBindHost } from './env/bind-host.ts'
import type { LocalInfo } from './env/local-info.ts'
import { withMemoryFlags } from './env/memory-flags.ts'
import { readOrCreateSecret } from './env/state-dir.ts'
import type { ChildProcessPlan } from './process/supervisor.ts'
import {
  connectOrStartTemporal,
  type StackContext,
  startPostgres,
  startSimulatorProcess,
  waitUntilReady,
} from './services/startup.ts'

type ProgramName = 'simulator' | 'demo' | 'worker' | 'api'

/** The product's own programs, so that a test can put small ones in their place. */
export type StackPrograms = {
  scripts: Record<ProgramName, string>
  searchAttributes: readonly SearchAttribute[]
}

/** Starts all servers in the order of their dependencies, and returns their addresses once API and worker are ready. */
export async function startStack(site: StackContext, parts: StackPrograms): Promise<LocalInfo> {
  const { config, home, ports, processes, print, abort } = site
  const environment = withReachableBindHost(config.environment)
  const secretKeys = config.secretKeys ?? (await readOrCreateSecret(home.secretKey, generateLocalSecretKey))
  const [database_url, temporal_address] = await Promise.all([
    config.databaseUrl ?? startPostgres(site),
    connectOrStartTemporal(site, parts.searchAttributes),
  ])

  const api_url = `http://127.0.0.1:${ports.api}`
  const temporal_ui_url =
    config.temporalUiUrl ?? (config.temporalAddress ? '' : `http://127.0.0.1:${ports.temporalUi}`)
  const publicUrl = config.publicUrl ?? api_url
  const simulatorEnvironment = {
    ...environment,
    SIMULATOR_PORT: String(ports.simulator),
    SIMULATOR_PROVIDER_PORTS: [ports.providerA, ports.providerB, ports.providerC, ports.providerD].join(','),
    SIMULATOR_HOME: home.simulator,
  }
  const simulator = await startSimulatorProcess(site, planProcess('simulator', simulatorEnvironment))

  const productEnvironment = withMemoryFlags({
    TRILHO_STORAGE_FOLDER: home.files,
    TRILHO_DRAIN_SECONDS: '0', // There is no proxy in front.
    ...environment,
    TRILHO_ENVIRONMENT: 'local',
    TRILHO_BUILD_ID: '', // Without a version that an operator makes current, versioned workers take nothing.
    DATABASE_URL: database_url,
    TEMPORAL_ADDRESS: temporal_address,
    ...(config.temporalAddress === undefined && { TEMPORAL_TLS: 'false' }), // Our own server speaks no TLS.
    ...(temporal_ui_url && { TEMPORAL_UI_URL: temporal_ui_url }),
    PORT: String(ports.api),
    TRILHO_WORKER_PORT: String(ports.worker),
    TRILHO_SECRET_KEY: secretKeys,
    TRILHO_PUBLIC_URL: publicUrl,
    TRILHO_LOOPBACK_WEBHOOKS: 'true',
    TRILHO_OUTBOX: 'true',
    NODE_EXTRA_CA_CERTS: simulator.ca_file,
  })
  print('Setting up the demo account …')
  const demo = await runDemoProgram(
    planProgram('demo', { ...productEnvironment, SIMULATOR_HOME: home.simulator }),
    abort,
  )
  print('Starting the worker and the API …')
  processes.start(planProcess('worker', productEnvironment))
  processes.start(planProcess('api', productEnvironment))
  const worker_url = `http://127.0.0.1:${ports.worker}`
  await Promise.all([api_url, worker_url].map(url => waitUntilReady(url, abort)))

  return {
    api_url,
    dashboard_url: `${api_url}/dashboard`,
    docs_url: `${api_url}/docs`,
    worker_url,
    temporal_address,
    temporal_namespace: config.temporalNamespace,
    task_queue: config.taskQueue,
    temporal_ui_url,
    simulator_url: simulator.url,
    inbox_url: simulator.inbox_url,
    database_url,
    ...demo,
  }

  function planProcess(name: Exclude<ProgramName, 'demo'>, env: NodeJS.ProcessEnv): ChildProcessPlan {
    return { name, ...planProgram(name, env) }
  }

  /** Plans one of our own programs, on the very Node that this start runs on. */
  function planProgram(name: ProgramName, env: NodeJS.ProcessEnv): ProgramPlan {
    const root = join(import.meta.dirname, '../..')
    return { command: process.execPath, args: [join(root, parts.scripts[name])], env, cwd: root }
  }
}

/** `local:` and 32 random bytes, as TRILHO_SECRET_KEY wants them. */
function generateLocalSecretKey(): string {
  return `local:${randomBytes(32).toString('base64')}`
}
