import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Pool } from 'pg'
import type { ChildName, Running } from '../../src/local/endings.ts'
import { readJson } from '../../src/local/home.ts'
import { type Identity, isAlive, signal } from '../../src/local/identity.ts'
import { waitUntil } from '../../src/local/waiting.ts'
import type { ProxyFault, TcpProxy } from '../support/proxy.ts'
import { type ExpiredServer, startExpiredServer } from './expired-server.ts'
import type { Member, Stage } from './stage.ts'
import { type Expectation, TARGETS } from './verdict.ts'

/** One row of the table. `apply` answers how the fault is taken away. */
export type Fault = {
  name: string
  apply(stage: Stage): Promise<() => Promise<void>>
  expects: Expectation
  /** How long it lasts, where that is part of it; the option `--seconds` else. */
  lastsMs?: number
}

const BACK_MS = 60_000
/** More than any PostgreSQL of ours allows. */
const MOST_CONNECTIONS = 1_000
const RESTARTED_MS = 5_000
const LIMIT_EVERY_MS = 200
const API_AWAY = 'the API itself is stopped'
const API_DATABASE = 'the API waits for PostgreSQL'
const TWO_WORKERS: Expectation = {
  unavailableShare: TARGETS.unavailableShare,
  operationMs: TARGETS.operationMs,
}

const LINKS: Record<string, { proxies(stage: Stage): TcpProxy[]; expects: Expectation }> = {
  'api-postgres': { proxies: ({ api }) => [api.postgres], expects: { readsMayBeSlow: API_DATABASE } },
  'worker-postgres': { proxies: ({ worker }) => [worker.postgres], expects: {} },
  'api-temporal': { proxies: ({ api }) => [api.temporal], expects: {} },
  'worker-temporal': { proxies: ({ worker }) => [worker.temporal], expects: {} },
  'worker-provider': { proxies: ({ providers }) => [providers.PROVIDER_A], expects: {} },
}

/** The whole table, in the order in which it is played. */
export const FAULTS: Fault[] = [
  { name: 'kill-api', apply: kill(({ api }) => api), expects: { readsMayBeSlow: API_AWAY } },
  { name: 'kill-worker', apply: kill(({ worker }) => worker), expects: {} },
  { name: 'kill-postgres', apply: killServer('postgres'), expects: { readsMayBeSlow: API_DATABASE } },
  { name: 'kill-temporal', apply: killServer('temporal'), expects: {} },
  { name: 'kill-provider', apply: killServer('simulator'), expects: {} },
  ...[1, 30].flatMap((lasting): Fault[] => [
    {
      ...{ name: `stop-api-${lasting}s`, lastsMs: lasting * 1_000 },
      apply: stop(({ api }) => api),
      expects: { readsMayBeSlow: API_AWAY },
    },
    {
      ...{ name: `stop-worker-${lasting}s`, lastsMs: lasting * 1_000 },
      apply: stop(({ worker }) => worker),
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
  link(
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
    expects: { rings: ['DatabaseReadOnly'] },
  },
  { name: 'no-connections-left', apply: takeAllConnections, expects: { readsMayBeSlow: API_DATABASE } },
  { name: 'full-disk', apply: fillDisk, expects: { readsMayBeSlow: API_DATABASE } },
  {
    name: 'silent-name-server',
    apply: silenceNameServer,
    expects: { unavailableShare: 0, failsProviderCalls: true },
  },
  { name: 'expired-certificate', apply: expireCertificate, expects: { failsProviderCalls: true } },
  { name: 'clock-api', apply: shiftClock(({ api }) => api), expects: { rings: ['ClockOffset'] } },
  { name: 'clock-worker', apply: shiftClock(({ worker }) => worker), expects: { rings: ['ClockOffset'] } },
  { name: 'second-worker-without-database', apply: breakSecondWorkerDatabase, expects: TWO_WORKERS },
  {
    name: 'second-worker-without-providers',
    apply: startSecondWorkerWithoutCa,
    expects: { ...TWO_WORKERS, failsProviderCalls: true },
  },
]

type Pick = (stage: Stage) => Member

function kill(pick: Pick): Fault['apply'] {
  return async stage => {
    pick(stage).part.signal('SIGKILL')
    return async () => {}
  }
}

function stop(pick: Pick): Fault['apply'] {
  return async stage => {
    const { part } = pick(stage)
    part.signal('SIGSTOP')
    return async () => part.signal('SIGCONT')
  }
}

function killServer(name: ChildName): Fault['apply'] {
  return async stage => {
    const server = await serverOf(stage, name)
    signal(server, 'SIGKILL')
    return () => isBack(stage, name, server)
  }
}

function stopServer(name: ChildName): Fault['apply'] {
  return async stage => {
    const server = await serverOf(stage, name)
    signal(server, 'SIGSTOP')
    return async () => signal(server, 'SIGCONT')
  }
}

async function serverOf({ stack }: Stage, name: ChildName): Promise<Identity> {
  const server = (await readJson<Running>(stack.home.pids))?.[name]
  if (!server) throw new Error(`${name} does not run`)
  return server
}

async function isBack({ stack }: Stage, name: ChildName, before: Identity): Promise<void> {
  await waitUntil(
    async () => {
      const now = (await readJson<Running>(stack.home.pids))?.[name]
      return !isAlive(before) && now !== undefined && isAlive(now)
    },
    { what: `${name} does not come back`, limitMs: BACK_MS },
  )
}

/** A second worker takes over; the first one's process ends, and no server hears of it. */
async function loseWorkerHost(stage: Stage) {
  const second = await stage.startSecondWorker()
  const { part, postgres, temporal } = stage.worker
  for (const proxy of [postgres, temporal, ...Object.values(stage.providers)])
    proxy.disturbBy({ kind: 'silent' })
  part.lose()
  for (const proxy of [postgres, temporal]) proxy.loseClients()
  for (const proxy of Object.values(stage.providers)) proxy.heal()
  return async () => {
    for (const proxy of [postgres, temporal]) proxy.heal()
    part.startAgain()
    await second.close()
  }
}

/** The fault on the connections of each pair. */
function linkFaults(name: string, fault: ProxyFault): Fault[] {
  return Object.entries(LINKS).map(([pair, { proxies, expects }]) =>
    link(`${name}-${pair}`, proxies, fault, expects),
  )
}

function link(
  name: string,
  proxies: (stage: Stage) => TcpProxy[],
  fault: ProxyFault,
  expects: Expectation,
): Fault {
  return {
    ...{ name, expects },
    apply: async stage => {
      for (const proxy of proxies(stage)) proxy.disturbBy(fault)
      return async () => {
        for (const proxy of proxies(stage)) proxy.heal()
      }
    },
  }
}

/** For every new transaction, as a standby would answer. */
async function makeReadOnly({ site }: Stage) {
  await site.sql('alter system set default_transaction_read_only = on')
  await site.sql('select pg_reload_conf()')
  return async () => {
    await site.sql('alter system reset default_transaction_read_only')
    await site.sql('select pg_reload_conf()')
  }
}

/** Other clients take what is free, and each connection that Trilho's processes give up. */
async function takeAllConnections(stage: Stage) {
  const pool = new Pool({ connectionString: stage.stack.local.database_url, max: MOST_CONNECTIONS })
  pool.on('error', () => {})
  const taken: Awaited<ReturnType<Pool['connect']>>[] = []
  let isOver = false
  const taking = (async () => {
    while (!isOver)
      await pool.connect().then(
        client => taken.push(client),
        () => sleep(20),
      )
  })()
  await stage.site.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name in ('trilho api', 'trilho worker')`,
  )
  return async () => {
    isOver = true
    await taking
    for (const client of taken) client.release()
    await pool.end()
  }
}

/**
 * Every write of PostgreSQL to a file fails, as on a full disk: RLIMIT_FSIZE of its processes is 0. It ends at the first
 * WAL record and cannot start until the limit is gone.
 */
async function fillDisk(stage: Stage) {
  let isOver = false
  const limiting = (async () => {
    while (!isOver) {
      const server = await serverOf(stage, 'postgres').catch(() => undefined)
      if (server && isAlive(server)) limitFileSize(server.pid, '0')
      await sleep(LIMIT_EVERY_MS)
    }
  })()
  return async () => {
    isOver = true
    await limiting
    const server = await serverOf(stage, 'postgres').catch(() => undefined)
    if (server && isAlive(server)) limitFileSize(server.pid, 'unlimited')
  }
}

/** Of a process and its children. */
function limitFileSize(pid: number, size: string): void {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  for (const one of [String(pid), ...stdout.trim().split('\n').filter(Boolean)])
    spawnSync('prlimit', ['--pid', one, `--fsize=${size}:unlimited`])
}

/** The host name of one provider is asked of a name server that never answers. */
async function silenceNameServer(stage: Stage) {
  const silent = createSocket('udp4')
  silent.bind(0, '127.0.0.1')
  await once(silent, 'listening')
  await stage.worker.part.restartWith({
    ...preloaded('name-server.mjs'),
    DRILL_NAME_SERVER: `127.0.0.1:${silent.address().port}`,
  })
  await sleep(RESTARTED_MS)
  const restore = await reachProviderAt(stage, 'https://provider-a.drill.example:443')
  return async () => {
    await restore()
    silent.close()
    await stage.worker.part.restartWith({})
  }
}

async function expireCertificate(stage: Stage) {
  const server: ExpiredServer = await startExpiredServer(stage.stack.home.simulator)
  const restore = await reachProviderAt(stage, `https://localhost:${server.port}`)
  return async () => {
    await restore()
    server.close()
  }
}

/** Where PROVIDER_A is looked for from now on; answers how that is taken back. */
async function reachProviderAt({ site }: Stage, baseUrl: string): Promise<() => Promise<void>> {
  const change = async (url: string) =>
    void (await site.sql("update connection set base_url = ? where provider = 'PROVIDER_A'", [url]))
  await change(baseUrl)
  return () => change(site.baseUrls.PROVIDER_A)
}

function shiftClock(pick: Pick): Fault['apply'] {
  return async stage => {
    const { part } = pick(stage)
    await part.restartWith(preloaded('clock-ahead.mjs'))
    return () => part.restartWith({})
  }
}

function preloaded(program: string): NodeJS.ProcessEnv {
  const url = pathToFileURL(join(import.meta.dirname, 'programs', program)).href
  return { NODE_OPTIONS: `--import ${url}` }
}

async function breakSecondWorkerDatabase(stage: Stage) {
  const second = await stage.startSecondWorker()
  second.postgres.disturbBy({ kind: 'reset' })
  return () => second.close()
}

async function startSecondWorkerWithoutCa(stage: Stage) {
  const second = await stage.startSecondWorker({ NODE_EXTRA_CA_CERTS: '' })
  return () => second.close()
}
