import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Pool } from 'pg'
import {
  findProcessIdentity,
  isProcessAlive,
  type ProcessIdentity,
  signalProcess,
} from '../../packages/dev/process/identity.ts'
import type { ChildProcessName } from '../../packages/dev/process/shutdown.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { makeMachineBusy } from '../support/busy-machine.ts'
import { openProcessNetwork } from '../support/network-of-one-process.ts'
import { readRunningProcesses } from '../support/stack.ts'
import type { ProxyFault, TcpProxy } from '../support/tcp-proxy.ts'
import type { DrillStack, ProxiedProcess } from './drill-stack.ts'
import { type ExpiredServer, startExpiredServer } from './expired-server.ts'
import { type Expectation, TARGETS } from './verdict.ts'

/** One row of the table. */
export type Fault = {
  name: string
  /** What must be in place before the row is observed, for example a process with other settings. */
  prepare?(stage: DrillStack): Promise<void>
  /** Undoes `prepare` once the row is no longer observed. */
  cleanUp?(stage: DrillStack): Promise<void>
  apply(stage: DrillStack): Promise<InjectedFault>
  expects: Expectation
  /** How long it lasts, where that is part of it; otherwise the option `--seconds`. */
  lastsMs?: number
}

export type InjectedFault = {
  /** Whether the fault has had its effect, called before it is removed: a row that injected nothing proves nothing. */
  isEffective(): boolean | Promise<boolean>
  remove(): Promise<void>
}

const RECOVERY_LIMIT_MS = 60_000
/** More than any PostgreSQL of ours allows. */
const MAX_CONNECTIONS = 1_000
const HALF_AN_HOUR_MS = 1_800_000
/** SQLSTATEs of PostgreSQL. */
const TOO_MANY_CONNECTIONS = '53300'
const DISK_FULL = '53100'
/** Long enough that workflow tasks time out. */
const BUSY_MS = 120_000
const BUSY_LOAD = 10 * availableParallelism()
const MACHINE_IS_BUSY = 'other processes take the machine'
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
      name: `stop-api-${lasting}s`,
      lastsMs: lasting * 1_000,
      apply: stopMember(({ api }) => api),
      expects: { readsMayBeSlow: API_STOPPED },
    },
    {
      name: `stop-worker-${lasting}s`,
      lastsMs: lasting * 1_000,
      apply: stopMember(({ worker }) => worker),
      expects: {},
    },
    {
      name: `stop-temporal-${lasting}s`,
      lastsMs: lasting * 1_000,
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
    ...silenceNameServer(),
    expects: { unavailableShare: 0, failsProviderCalls: true },
  },
  { name: 'expired-certificate', apply: expireCertificate, expects: { failsProviderCalls: true } },
  {
    name: 'busy-machine',
    lastsMs: BUSY_MS,
    apply: takeMachine,
    expects: { callersMayBeSlow: MACHINE_IS_BUSY },
  },
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
    const { pid } = pick(stage).process.signal('SIGKILL')
    return { isEffective: () => findProcessIdentity(pid) === undefined, remove: async () => {} }
  }
}

function stopMember(pick: MemberSelector): Fault['apply'] {
  return async stage => {
    const { process: part } = pick(stage)
    const { pid } = part.signal('SIGSTOP')
    return { isEffective: () => isStopped(pid), remove: async () => void part.signal('SIGCONT') }
  }
}

function killServer(name: ChildProcessName): Fault['apply'] {
  return async stage => {
    const server = await serverOf(stage, name)
    signalProcess(server, 'SIGKILL')
    return {
      isEffective: () => !isProcessAlive(server),
      remove: () => waitForRestart(stage, name, server),
    }
  }
}

function stopServer(name: ChildProcessName): Fault['apply'] {
  return async stage => {
    const server = await serverOf(stage, name)
    signalProcess(server, 'SIGSTOP')
    return {
      isEffective: () => isStopped(server.pid),
      remove: async () => signalProcess(server, 'SIGCONT'),
    }
  }
}

function isStopped(pid: number): boolean {
  return readProcessField(pid, 'stat').startsWith('T')
}

function readProcessField(pid: number, field: 'stat' | 'ppid'): string {
  return spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
}

async function serverOf({ stack }: DrillStack, name: ChildProcessName): Promise<ProcessIdentity> {
  const server = (await readRunningProcesses(stack.home))[name]
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
      const now = (await readRunningProcesses(stack.home))[name]
      return !isProcessAlive(before) && now !== undefined && isProcessAlive(now)
    },
    { description: `${name} does not come back`, limitMs: RECOVERY_LIMIT_MS },
  )
}

/** A second worker takes over; the first one's process ends, without any server noticing. */
async function loseWorkerHost(stage: DrillStack) {
  const second = await stage.startSecondWorker()
  const { process: part, postgres, temporal } = stage.worker
  for (const proxy of [postgres, temporal, ...Object.values(stage.providers)])
    proxy.injectFault({ kind: 'silent' })
  part.lose()
  const abandoned = [postgres, temporal].map(proxy => proxy.abandonClients())
  for (const proxy of Object.values(stage.providers)) proxy.clearFault()
  return {
    isEffective: () => abandoned.every(connections => connections > 0),
    async remove() {
      for (const proxy of [postgres, temporal]) proxy.clearFault()
      part.startAgain()
      await second.close()
    },
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
    name,
    expects,
    apply: async stage => {
      for (const proxy of proxies(stage)) proxy.injectFault(fault)
      return {
        isEffective: () => proxies(stage).some(proxy => proxy.disturbances() > 0),
        async remove() {
          for (const proxy of proxies(stage)) proxy.clearFault()
        },
      }
    },
  }
}

/** For every new transaction, as a standby would answer. */
async function makeReadOnly({ clients: site }: DrillStack) {
  await site.sql('alter system set default_transaction_read_only = on')
  await site.sql('select pg_reload_conf()')
  return {
    async isEffective() {
      const [row] = await site.sql<{ is_on: boolean }>(
        "select current_setting('transaction_read_only') = 'on' as is_on",
      )
      return row!.is_on
    },
    async remove() {
      await site.sql('alter system reset default_transaction_read_only')
      await site.sql('select pg_reload_conf()')
    },
  }
}

/** Other processes use all processors of the machine, and those of the drill get a small share. */
async function takeMachine(): Promise<InjectedFault> {
  const release = makeMachineBusy(BUSY_LOAD)
  return { isEffective: () => loadavg()[0]! > BUSY_LOAD / 2, remove: release }
}

/** Other clients use all free connections, and each one that Trilho's processes release. */
async function takeAllConnections(stage: DrillStack) {
  const pool = new Pool({ connectionString: stage.stack.local.database_url, max: MAX_CONNECTIONS })
  pool.on('error', () => {})
  const occupied: Awaited<ReturnType<Pool['connect']>>[] = []
  let isOver = false
  let isRefused = false
  const taking = (async () => {
    while (!isOver)
      await pool.connect().then(
        client => occupied.push(client),
        ({ code }) => {
          isRefused ||= code === TOO_MANY_CONNECTIONS
          return sleep(20)
        },
      )
  })()
  await stage.clients.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name in ('trilho api', 'trilho worker')`,
  )
  return {
    isEffective: () => isRefused,
    async remove() {
      isOver = true
      await taking
      for (const client of occupied) client.release()
      await pool.end()
    },
  }
}

/**
 * PostgreSQL's data is on a volume of its own (a tmpfs, which takes Linux and root), and a file fills that volume. The
 * current segment of the WAL is new, so that statements fail and PostgreSQL itself goes on.
 */
async function fillDisk(stage: DrillStack) {
  const { postgres: folder } = stage.stack.home
  const filler = join(folder, 'filler')
  await whilePostgresIsStopped(stage, () => runScript(MOVE_TO_SMALL_VOLUME, folder))
  await stage.clients.sql('select pg_switch_wal()')
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=8k'])
  return {
    // The first page of a new table needs space.
    isEffective: () =>
      stage.clients.sql('create table drill_disk_probe as select 1 as one').then(
        () => false,
        error => Object(error).code === DISK_FULL,
      ),
    async remove() {
      await rm(filler)
      await whilePostgresIsStopped(stage, () => runScript(MOVE_BACK, folder))
    },
  }
}

/** Does something while PostgreSQL does not run, and waits until its supervisor has started it again. */
async function whilePostgresIsStopped(stage: DrillStack, work: () => void): Promise<void> {
  const server = await serverOf(stage, 'postgres')
  const supervisor = Number(readProcessField(server.pid, 'ppid'))
  process.kill(supervisor, 'SIGSTOP')
  try {
    signalProcess(server, 'SIGINT')
    await waitUntil(async () => !isProcessAlive(server), {
      description: 'postgres does not stop',
      limitMs: RECOVERY_LIMIT_MS,
    })
    work()
  } finally {
    process.kill(supervisor, 'SIGCONT')
  }
  await waitForRestart(stage, 'postgres', server)
  const answers = () =>
    stage.clients.sql('select 1').then(
      () => true,
      () => false,
    )
  await waitUntil(answers, { description: 'postgres does not answer', limitMs: RECOVERY_LIMIT_MS })
}

/** Scripts over a folder. */
const MOVE_TO_SMALL_VOLUME = `
  cp -a "$1" "$1.copy"
  mount -t tmpfs -o mode=700,size=$(($(du -sm "$1" | cut -f1) + 64))m tmpfs "$1"
  cp -a "$1.copy/." "$1" || { umount "$1"; exit 1; }
  rm -rf "$1.copy"`
const MOVE_BACK = `
  cp -a "$1" "$1.copy"
  umount "$1"
  rm -rf "$1"
  mv "$1.copy" "$1"`

function runScript(script: string, folder: string): void {
  const { status, stderr } = spawnSync('sh', ['-ec', script, 'sh', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/**
 * The host name of one provider is resolved by a name server that never answers, for the worker: the API calls no provider
 * at that address, as PROVIDER_A publishes no signing keys. Only the name of PROVIDER_A has to be resolved.
 */
function silenceNameServer(): Omit<Fault, 'name' | 'expects'> {
  const silent = createSocket('udp4')
  let queries = 0
  return {
    async prepare(stage) {
      silent.on('message', () => void queries++)
      silent.bind(0, '127.0.0.1')
      await once(silent, 'listening')
      await stage.worker.process.restartWith({
        ...preloadOptions('name-server.mjs'),
        DRILL_NAME_SERVER: `127.0.0.1:${silent.address().port}`,
      })
    },
    async apply(stage) {
      const restore = await reachProviderAt(stage, 'https://provider-a.drill.example:443')
      return {
        isEffective: () => queries > 0,
        remove: restore,
      }
    },
    async cleanUp(stage) {
      silent.close()
      await stage.worker.process.restartWith({})
    },
  }
}

async function expireCertificate(stage: DrillStack) {
  const server: ExpiredServer = await startExpiredServer(stage.stack.home.simulator)
  const restore = await reachProviderAt(stage, `https://localhost:${server.port}`)
  return {
    isEffective: () => server.connections() > 0,
    async remove() {
      await restore()
      server.close()
    },
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
    return {
      async isEffective() {
        const [, time] = [...(await readFile(part.logPath, 'utf8')).matchAll(/"time":(\d+)/g)].at(-1)!
        return Number(time) - Date.now() > HALF_AN_HOUR_MS
      },
      remove: () => part.restartWith({}),
    }
  }
}

function preloadOptions(program: string): NodeJS.ProcessEnv {
  const url = pathToFileURL(join(import.meta.dirname, 'programs', program)).href
  return { NODE_OPTIONS: `--import ${url}` }
}

async function breakSecondWorkerDatabase(stage: DrillStack) {
  const second = await stage.startSecondWorker()
  second.postgres.injectFault({ kind: 'reset' })
  return { isEffective: () => second.postgres.disturbances() > 0, remove: () => second.close() }
}

/** Every connection of the second worker to a provider is reset; the first worker's are not. */
async function breakSecondWorkerProviders(stage: DrillStack) {
  // Those of the demo account are not behind the drill's proxies.
  const urls = await stage.clients.sql<{ base_url: string }>('select distinct base_url from connection')
  const network = await openProcessNetwork(urls.map(({ base_url }) => base_url))
  const second = await stage.startSecondWorker(network.environment)
  network.injectFault({ kind: 'reset' })
  return {
    isEffective: () => network.disturbances() > 0,
    async remove() {
      await second.close()
      network.close()
    },
  }
}
