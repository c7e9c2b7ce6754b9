import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Pool } from 'pg'
import { tryReadJsonFile } from '../../src/dev/env/state-dir.ts'
import { waitUntil } from '../../src/dev/os/wait-until.ts'
import { isProcessAlive, type ProcessIdentity, signalProcess } from '../../src/dev/process/identity.ts'
import type { ChildProcessName, RunningProcesses } from '../../src/dev/process/shutdown.ts'
import { openProcessNetwork } from '../support/network-of-one-process.ts'
import type { ProxyFault, TcpProxy } from '../support/tcp-proxy.ts'
import type { DrillStack, ProxiedProcess } from './drill-stack.ts'
import { type ExpiredServer, startExpiredServer } from './expired-server.ts'
import { type Expectation, TARGETS } from './verdict.ts'

/** One row of the table. `apply` answers how the fault is removed. */
export type Fault = {
  name: string
  apply(stage: DrillStack): Promise<() => Promise<void>>
  expects: Expectation
  /** How long it lasts, where that is part of it; otherwise the option `--seconds`. */
  lastsMs?: number
}

const RECOVERY_LIMIT_MS = 60_000
/** More than any PostgreSQL of ours allows. */
const MAX_CONNECTIONS = 1_000
const RESTART_WAIT_MS = 5_000
const LIMIT_INTERVAL_MS = 200
const API_STOPPED = 'the API itself is stopped'
const API_WAITS_FOR_DATABASE = 'the API waits for PostgreSQL'
const TWO_WORKERS_EXPECTATION: Expectation = {
  unavailableShare: TARGETS.unavailableShare,
  operationMs: TARGETS.operationMs,
}

const LINKS: Record<string, { proxies(stage: DrillStack): TcpProxy[]; expects: Expectation }> = {
  'api-postgres': {
    proxies: ({ api }) => [api.postgres],
    expects: { readsMayBeSlow: API_WAITS_FOR_DATABASE },
  },
  'worker-postgres': { proxies: ({ worker }) => [worker.postgres], expects: {} },
  'api-temporal': { proxies: ({ api }) => [api.temporal], expects: {} },
  'worker-temporal': { proxies: ({ worker }) => [worker.temporal], expects: {} },
  'worker-provider': { proxies: ({ providers }) => [providers.PROVIDER_A], expects: {} },
}

/** The whole table, in order of execution. */
export const FAULTS: Fault[] = [
  { name: 'kill-api', apply: killMember(({ api }) => api), expects: { readsMayBeSlow: API_STOPPED } },
  { name: 'kill-worker', apply: killMember(({ worker }) => worker), expects: {} },
  {
    name: 'kill-postgres',
    apply: killServer('postgres'),
    expects: { readsMayBeSlow: API_WAITS_FOR_DATABASE },
  },
  { name: 'kill-temporal', apply: killServer('temporal'), expects: {} },
  { name: 'kill-provider', apply: killServer('simulator'), expects: {} },
  ...[1, 30].flatMap((lasting): Fault[] => [
    {
      ...{ name: `stop-api-${lasting}s`, lastsMs: lasting * 1_000 },
      apply: stopMember(({ api }) => api),
      expects: { readsMayBeSlow: API_STOPPED },
    },
    {
      ...{ name: `stop-worker-${lasting}s`, lastsMs: lasting * 1_000 },
      apply: stopMember(({ worker }) => worker),
      expects: {},
    },
    {
      ...{ name: `stop-temporal-${lasting}s`, lastsMs: lasting * 1_000 },
      apply: stopServer('temporal'),
      expects: {},
    },
  ]),
  {
    name: 'worker-host-lost',
    apply: loseWorkerHost,
    expects: { recoversDuringFault: true, recoveryMs: TARGETS.recoveryMs },
  },
  ...linkFaults('partition', { kind: 'silent' }),
  linkFault(
    'hang-provider',
    stage => Object.values(stage.providers),
    { kind: 'silent' },
    { failsProviderCalls: true },
  ),
  ...linkFaults('reset', { kind: 'reset' }),
  ...linkFaults('half-close', { kind: 'half_close' }),
  ...linkFaults('delay-50ms', { kind: 'slow', delayMs: 50 }),
  ...linkFaults('delay-400ms', { kind: 'slow', delayMs: 400 }),
  {
    name: 'read-only-postgres',
    apply: makeReadOnly,
    expects: { firesAlerts: ['DatabaseReadOnly'] },
  },
  {
    name: 'no-connections-left',
    apply: takeAllConnections,
    expects: { readsMayBeSlow: API_WAITS_FOR_DATABASE },
  },
  { name: 'full-disk', apply: fillDisk, expects: { readsMayBeSlow: API_WAITS_FOR_DATABASE } },
  {
    name: 'silent-name-server',
    apply: silenceNameServer,
    expects: { unavailableShare: 0, failsProviderCalls: true },
  },
  { name: 'expired-certificate', apply: expireCertificate, expects: { failsProviderCalls: true } },
  { name: 'clock-api', apply: shiftClock(({ api }) => api), expects: { firesAlerts: ['ClockOffset'] } },
  {
    name: 'clock-worker',
    apply: shiftClock(({ worker }) => worker),
    expects: { firesAlerts: ['ClockOffset'] },
  },
  {
    name: 'second-worker-without-database',
    apply: breakSecondWorkerDatabase,
    expects: TWO_WORKERS_EXPECTATION,
  },
  {
    name: 'second-worker-without-providers',
    apply: breakSecondWorkerProviders,
    // Until it has ended, was started again and waits.
    lastsMs: 45_000,
    expects: {
      ...TWO_WORKERS_EXPECTATION,
      failsProviderCalls: true,
      firesAlerts: ['WorkerReachesNoProvider'],
    },
  },
]

type MemberSelector = (stage: DrillStack) => ProxiedProcess

function killMember(pick: MemberSelector): Fault['apply'] {
  return async stage => {
    pick(stage).process.signal('SIGKILL')
    return async () => {}
  }
}

function stopMember(pick: MemberSelector): Fault['apply'] {
  return async stage => {
    const { process: part } = pick(stage)
    part.signal('SIGSTOP')
    return async () => part.signal('SIGCONT')
  }
}

function killServer(name: ChildProcessName): Fault['apply'] {
  return async stage => {
    const server = await serverOf(stage, name)
    signalProcess(server, 'SIGKILL')
    return () => waitForRestart(stage, name, server)
  }
}

function stopServer(name: ChildProcessName): Fault['apply'] {
  return async stage => {
    const server = await serverOf(stage, name)
    signalProcess(server, 'SIGSTOP')
    return async () => signalProcess(server, 'SIGCONT')
  }
}

async function serverOf({ stack }: DrillStack, name: ChildProcessName): Promise<ProcessIdentity> {
  const server = (await tryReadJsonFile<RunningProcesses>(stack.home.pids))?.[name]
  if (!server) throw new Error(`${name} does not run`)
  return server
}

async function waitForRestart(
  { stack }: DrillStack,
  name: ChildProcessName,
  before: ProcessIdentity,
): Promise<void> {
  await waitUntil(
    async () => {
      const now = (await tryReadJsonFile<RunningProcesses>(stack.home.pids))?.[name]
      return !isProcessAlive(before) && now !== undefined && isProcessAlive(now)
    },
    { what: `${name} does not come back`, limitMs: RECOVERY_LIMIT_MS },
  )
}

/** A second worker takes over; the first one's process ends, without any server noticing. */
async function loseWorkerHost(stage: DrillStack) {
  const second = await stage.startSecondWorker()
  const { process: part, postgres, temporal } = stage.worker
  for (const proxy of [postgres, temporal, ...Object.values(stage.providers)])
    proxy.injectFault({ kind: 'silent' })
  part.lose()
  for (const proxy of [postgres, temporal]) proxy.abandonClients()
  for (const proxy of Object.values(stage.providers)) proxy.clearFault()
  return async () => {
    for (const proxy of [postgres, temporal]) proxy.clearFault()
    part.startAgain()
    await second.close()
  }
}

/** The fault on the connections of each pair. */
function linkFaults(name: string, fault: ProxyFault): Fault[] {
  return Object.entries(LINKS).map(([pair, { proxies, expects }]) =>
    linkFault(`${name}-${pair}`, proxies, fault, expects),
  )
}

function linkFault(
  name: string,
  proxies: (stage: DrillStack) => TcpProxy[],
  fault: ProxyFault,
  expects: Expectation,
): Fault {
  return {
    ...{ name, expects },
    apply: async stage => {
      for (const proxy of proxies(stage)) proxy.injectFault(fault)
      return async () => {
        for (const proxy of proxies(stage)) proxy.clearFault()
      }
    },
  }
}

/** For every new transaction, as a standby would answer. */
async function makeReadOnly({ clients: site }: DrillStack) {
  await site.sql('alter system set default_transaction_read_only = on')
  await site.sql('select pg_reload_conf()')
  return async () => {
    await site.sql('alter system reset default_transaction_read_only')
    await site.sql('select pg_reload_conf()')
  }
}

/** Other clients use all free connections, and each one that Trilho's processes release. */
async function takeAllConnections(stage: DrillStack) {
  const pool = new Pool({ connectionString: stage.stack.local.database_url, max: MAX_CONNECTIONS })
  pool.on('error', () => {})
  const occupied: Awaited<ReturnType<Pool['connect']>>[] = []
  let isOver = false
  const taking = (async () => {
    while (!isOver)
      await pool.connect().then(
        client => occupied.push(client),
        () => sleep(20),
      )
  })()
  await stage.clients.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name in ('trilho api', 'trilho worker')`,
  )
  return async () => {
    isOver = true
    await taking
    for (const client of occupied) client.release()
    await pool.end()
  }
}

/**
 * Every write of PostgreSQL to a file fails, as on a full disk: RLIMIT_FSIZE of its processes is 0. It ends at the first
 * WAL record and cannot start until the limit is gone.
 */
async function fillDisk(stage: DrillStack) {
  let isOver = false
  const limiting = (async () => {
    while (!isOver) {
      const server = await serverOf(stage, 'postgres').catch(() => undefined)
      if (server && isProcessAlive(server)) limitFileSize(server.pid, '0')
      await sleep(LIMIT_INTERVAL_MS)
    }
  })()
  return async () => {
    isOver = true
    await limiting
    const server = await serverOf(stage, 'postgres').catch(() => undefined)
    if (server && isProcessAlive(server)) limitFileSize(server.pid, 'unlimited')
  }
}

/** Of a process and its children. */
function limitFileSize(pid: number, size: string): void {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  for (const one of [String(pid), ...stdout.trim().split('\n').filter(Boolean)])
    spawnSync('prlimit', ['--pid', one, `--fsize=${size}:unlimited`])
}

/** The host name of one provider is resolved by a name server that never answers. */
async function silenceNameServer(stage: DrillStack) {
  const silent = createSocket('udp4')
  silent.bind(0, '127.0.0.1')
  await once(silent, 'listening')
  await stage.worker.process.restartWith({
    ...preloadOptions('name-server.mjs'),
    DRILL_NAME_SERVER: `127.0.0.1:${silent.address().port}`,
  })
  await sleep(RESTART_WAIT_MS)
  const restore = await reachProviderAt(stage, 'https://provider-a.drill.example:443')
  return async () => {
    await restore()
    silent.close()
    await stage.worker.process.restartWith({})
  }
}

async function expireCertificate(stage: DrillStack) {
  const server: ExpiredServer = await startExpiredServer(stage.stack.home.simulator)
  const restore = await reachProviderAt(stage, `https://localhost:${server.port}`)
  return async () => {
    await restore()
    server.close()
  }
}

/** The address of PROVIDER_A from now on; answers how that is undone. */
async function reachProviderAt({ clients: site }: DrillStack, baseUrl: string): Promise<() => Promise<void>> {
  const change = async (url: string) =>
    void (await site.sql("update connection set base_url = ? where provider = 'PROVIDER_A'", [url]))
  await change(baseUrl)
  return () => change(site.baseUrls.PROVIDER_A)
}

function shiftClock(pick: MemberSelector): Fault['apply'] {
  return async stage => {
    const { process: part } = pick(stage)
    await part.restartWith(preloadOptions('clock-ahead.mjs'))
    return () => part.restartWith({})
  }
}

function preloadOptions(program: string): NodeJS.ProcessEnv {
  const url = pathToFileURL(join(import.meta.dirname, 'programs', program)).href
  return { NODE_OPTIONS: `--import ${url}` }
}

async function breakSecondWorkerDatabase(stage: DrillStack) {
  const second = await stage.startSecondWorker()
  second.postgres.injectFault({ kind: 'reset' })
  return () => second.close()
}

/** Every connection of the second worker to a provider is reset; the first worker's are not. */
async function breakSecondWorkerProviders(stage: DrillStack) {
  // Those of the demo account are not behind the drill's proxies.
  const urls = await stage.clients.sql<{ base_url: string }>('select distinct base_url from connection')
  const network = await openProcessNetwork(urls.map(({ base_url }) => base_url))
  const second = await stage.startSecondWorker(network.environment)
  network.injectFault({ kind: 'reset' })
  return async () => {
    await second.close()
    network.close()
  }
}
