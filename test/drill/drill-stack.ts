import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { waitUntilReady } from '../../packages/dev/services/startup.ts'
import type { ProviderName } from '../../src/domain/providers/provider.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { createParticipants, type Participants } from '../chaos/participants.ts'
import { openStackClients, type StackClients } from '../chaos/stack-clients.ts'
import { readProcessEnvironment } from '../support/second-processes.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type DrillProcess, startDrillProcess } from './drill-process.ts'

const READY_MS = 120_000
/** A simulator can prove absence after this time, before the time scale. */
const SETTLE_WINDOW_MS = 5_000
const UNLIMITED_RATE_ENV = {
  TRILHO_RATE_LIMIT: '100000',
  TRILHO_RATE_BURST: '100000',
  TRILHO_LOG_LEVEL: 'info',
}

/** An API or a worker, and the proxies between it and the servers it needs. */
export type ProxiedProcess = {
  process: DrillProcess
  /** Where its health and metrics are served. */
  url: string
  postgres: TcpProxy
  temporal: TcpProxy
  close(): Promise<void>
}

export type DrillStack = {
  stack: Stack
  clients: StackClients
  participants: Participants
  api: ProxiedProcess
  apiUrl: string
  worker: ProxiedProcess
  /** Between all workers and each provider. */
  providers: Record<ProviderName, TcpProxy>
  /** A second worker, started on demand, and closed by the caller or with the stack; `environment` in addition to what a worker needs. */
  startSecondWorker(environment?: NodeJS.ProcessEnv): Promise<ProxiedProcess>
  /** The log file of the second worker, and where its health and metrics are served. */
  secondWorkerLog: string
  secondWorkerUrl: string
  close(): Promise<void>
}

/** The stack of a drill: servers, one API and one worker, each connection between two of them through a proxy. */
export async function openDrillStack(timeScale: number): Promise<DrillStack> {
  await using opening = new AsyncDisposableStack()
  const stack = await startStack({
    timeScale,
    program: 'test/drill/servers.ts',
    environment: UNLIMITED_RATE_ENV,
  })
  opening.defer(async () => void (await stack.stop()))
  const site = await openStackClients(stack)
  opening.defer(site.close)

  const providers = {} as Record<ProviderName, TcpProxy>
  for (const [name, baseUrl] of Object.entries(site.baseUrls) as [ProviderName, string][]) {
    const url = new URL(baseUrl)
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(url.port) })
    opening.defer(async () => proxy.close())
    providers[name] = proxy
    url.port = String(proxy.port)
    site.baseUrls[name] = url.href.replace(/\/$/, '')
  }

  const ports = new Map<string, string>()
  for (const name of ['api', 'worker', 'second-worker']) {
    const { port, release } = await reserveFreePort()
    opening.defer(release)
    ports.set(name, String(port))
  }
  const members: ProxiedProcess[] = []
  let isClosed = false
  opening.defer(async () => {
    isClosed = true
    await Promise.all(members.map(one => one.close()))
  })
  const api = await member('api', 'src/server.ts', {})
  const { url: apiUrl } = api
  const worker = await startWorker('worker', {})
  await waitUntilReady(apiUrl, AbortSignal.timeout(READY_MS))
  const cast = await createParticipants(site, { drawOptions: () => ({}), settleWindowMs: SETTLE_WINDOW_MS })
  const open = opening.move()
  return {
    stack,
    clients: { ...site, nextApiUrl },
    participants: cast,
    api,
    apiUrl,
    worker,
    providers,
    secondWorkerLog: logPathOf('second-worker'),
    secondWorkerUrl: urlOf('second-worker'),
    startSecondWorker: environment => startWorker('second-worker', environment ?? {}),
    close: () => open.disposeAsync(),
  }

  /** Every request and repeat of the load reads it, and ends with the drill. */
  function nextApiUrl(): string {
    if (isClosed) throw new Error('The drill has ended.')
    return apiUrl
  }

  function urlOf(name: string): string {
    return `http://127.0.0.1:${ports.get(name)}`
  }

  function logPathOf(name: string): string {
    return join(stack.home.folder, 'logs', `drill-${name}.log`)
  }

  async function startWorker(name: string, environment: NodeJS.ProcessEnv): Promise<ProxiedProcess> {
    const { length } = await readFile(logPathOf(name), 'utf8').catch(() => '') // Of earlier rows.
    const started = await member(name, 'src/worker.ts', environment)
    const isReady = async () =>
      (await readFile(started.process.logPath, 'utf8')).slice(length).includes('"msg":"ready"')
    await waitUntil(isReady, { description: `${name} does not get ready`, limitMs: READY_MS })
    return started
  }

  async function member(name: string, program: string, more: NodeJS.ProcessEnv): Promise<ProxiedProcess> {
    const database = new URL(stack.local.database_url)
    const [postgres, temporal] = await Promise.all([
      startTcpProxy({ host: database.hostname, port: Number(database.port) }),
      startTcpProxy({ host: '127.0.0.1', port: Number(stack.local.temporal_address.split(':')[1]) }),
    ])
    database.port = String(postgres.port)
    const environment = await readProcessEnvironment(stack, {
      ...UNLIMITED_RATE_ENV,
      PORT: ports.get(name),
      TRILHO_WORKER_PORT: ports.get(name),
      TRILHO_TIME_SCALE: String(timeScale),
      DATABASE_URL: database.href,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      ...more,
    })
    if (isClosed) throw new Error('The drill has ended.')
    const part = startDrillProcess(program, environment, logPathOf(name))
    const close = async () => {
      await part.stop()
      postgres.close()
      temporal.close()
    }
    const started = { process: part, url: urlOf(name), postgres, temporal, close }
    members.push(started)
    return started
  }
}
