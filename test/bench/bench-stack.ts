import { Pool } from 'undici'
import type { PrintLine } from '../../packages/dev/os/waits.ts'
import { openOrm } from '../../src/db/client/orm.ts'
import { upsertMaintenanceSchedules } from '../../src/temporal/schedules.ts'
import { openTestStack } from '../api/support/test-stack.ts'
import { startPostgres } from '../support/postgres.ts'
import { readProcessEnvironment } from '../support/second-processes.ts'
import { readRunningProcesses, startStack } from '../support/stack.ts'
import { yieldCpu } from './cpu-share.ts'
import { startTemporalServer } from './temporal-server.ts'

/** The system under measurement: a whole Trilho of its own, and merchants in it. */
export type BenchStack = Awaited<ReturnType<typeof openBenchStack>>

/** Temporal's database: SQLite under the development server of `npm start`, or PostgreSQL under one as in production. */
export const TEMPORAL_STORES = ['sqlite', 'postgres'] as const
export type BenchStackInput = {
  temporal: (typeof TEMPORAL_STORES)[number]
  say: PrintLine
  abort: AbortSignal
}

/** One token's rate limit is tested elsewhere. */
const UNLIMITED_RATE_ENV = { TRILHO_RATE_LIMIT: '1000000', TRILHO_RATE_BURST: '1000000' }
/** A settlement at the simulator takes 20 ms, so that the measured waits are ours. */
const TIME_SCALE = 10
/**
 * As `npm start` runs it, but it counts every statement, and has connections for Temporal's services beside two of each
 * of ours.
 */
const POSTGRES_SETTINGS = { shared_preload_libraries: 'pg_stat_statements', max_connections: '300' }

export async function openBenchStack({ temporal, say, abort }: BenchStackInput) {
  await using opening = new AsyncDisposableStack()
  const postgres = await startPostgres(POSTGRES_SETTINGS)
  opening.defer(postgres.stop)
  await countStatements(postgres.url)
  const server =
    temporal === 'postgres' && (await startTemporalServer({ databaseUrl: postgres.url, say, abort }))
  if (server) opening.defer(server.stop)
  const servers = { DATABASE_URL: postgres.url, ...(server && { TEMPORAL_ADDRESS: server.address }) }
  const stack = await startStack({
    timeScale: TIME_SCALE,
    environment: { ...UNLIMITED_RATE_ENV, ...servers },
  })
  opening.defer(async () => void (await stack.stop()))
  const { worker, temporal: ownTemporal } = await readRunningProcesses(stack.home)
  await yieldCpu(worker!.pid)
  // A server of Temporal over PostgreSQL shares the session of the callers and keeps its share.
  if (ownTemporal) await yieldCpu(ownTemporal.pid)
  const stage = await openTestStack(stack.home)
  opening.defer(stage.close)
  const environment = await readProcessEnvironment(stack, {
    ...UNLIMITED_RATE_ENV,
    TRILHO_TIME_SCALE: String(TIME_SCALE),
  })
  const client = await stage.connectTemporal()
  /** Lets maintenance run as often as in production; each worker that starts divides its intervals again. */
  const keepProductionIntervals = () =>
    upsertMaintenanceSchedules(client, {
      client: async () => client,
      taskQueue: stack.local.task_queue,
      timeScale: 1,
    })
  await keepProductionIntervals()
  const open = opening.move()
  return {
    stack,
    stage,
    local: stack.local,
    /** A client of an API with keep-alive connections. */
    api(url: string = stack.local.api_url, options?: BenchClientOptions): BenchApiClient {
      const made = createBenchApiClient(url, options)
      open.defer(made.close)
      return made
    },
    keepProductionIntervals,
    /** What a second API or worker of this site needs to know. */
    environment,
    close: () => open.disposeAsync(),
  }
}

async function countStatements(databaseUrl: string): Promise<void> {
  const orm = await openOrm({ databaseUrl, poolSize: 1 })
  await orm.em
    .fork()
    .execute('create extension pg_stat_statements')
    .finally(() => orm.close())
}

// biome-ignore lint/suspicious/noExplicitAny: a benchmark reads what it expects and fails where it is not.
type BenchResponse = { status: number; body: any }
export type BenchApiClient = ReturnType<typeof createBenchApiClient>

/** Most connections, null for any number; and how long each response is waited for. */
type BenchClientOptions = { connections?: number | null; limitMs?: number }

/** The leanest client there is: its cost is not measured. */
function createBenchApiClient(url: string, { connections = 128, limitMs }: BenchClientOptions = {}) {
  const limits = limitMs === undefined ? {} : { headersTimeout: limitMs, bodyTimeout: limitMs }
  const pool = new Pool(url, { connections, pipelining: 1, ...limits })
  async function call(
    method: 'GET' | 'POST',
    path: string,
    { token, body, headers }: { token: string; body?: object; headers?: Record<string, string> },
  ): Promise<BenchResponse> {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, body: text === '' ? null : JSON.parse(text) }
  }
  return {
    get: (path: string, token: string) => call('GET', path, { token }),
    post: (path: string, token: string, body: object = {}, headers: Record<string, string> = {}) =>
      call('POST', path, { token, body, headers }),
    /** Only whether it was answered: the body is not parsed. */
    async isOk(path: string, token: string): Promise<boolean> {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { authorization: `Bearer ${token}` },
      })
      await body.dump()
      return statusCode === 200
    },
    close: () => pool.close(),
  }
}
