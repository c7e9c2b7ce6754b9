import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProviderName } from '../../src/domain/provider.ts'
import { freePort } from '../../src/local/ports.ts'
import { apiIsReady } from '../../src/local/servers.ts'
import { waitUntil } from '../../src/local/waiting.ts'
import { type Cast, casting } from '../chaos/cast.ts'
import { openSite, type Site } from '../chaos/site.ts'
import { startProxy, type TcpProxy } from '../support/proxy.ts'
import { environmentOf } from '../support/second.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { type Part, startPart } from './part.ts'

const READY_MS = 120_000
const NO_LIMIT = { TRILHO_RATE_LIMIT: '100000', TRILHO_RATE_BURST: '100000', TRILHO_LOG_LEVEL: 'info' }

/** An API or a worker, and the proxies between it and the servers it needs. */
export type Member = { part: Part; postgres: TcpProxy; temporal: TcpProxy; close(): Promise<void> }

export type Stage = {
  stack: Stack
  site: Site
  cast: Cast
  api: Member
  apiUrl: string
  worker: Member
  /** Between all workers and each provider. */
  providers: Record<ProviderName, TcpProxy>
  /** A second worker, started on demand and closed by the caller; `environment` in addition to what a worker needs. */
  startSecondWorker(environment?: NodeJS.ProcessEnv): Promise<Member>
  /** Where the second worker logs. */
  secondWorkerLog: string
  close(): Promise<void>
}

/** The stack of a drill: servers, one API and one worker, each connection between two of them through a proxy. */
export async function openStage(timeScale: number): Promise<Stage> {
  await using opening = new AsyncDisposableStack()
  const stack = await startStack({ timeScale, program: 'test/drill/servers.ts', environment: NO_LIMIT })
  opening.defer(async () => void (await stack.stop()))
  const site = await openSite(stack)
  opening.defer(site.close)

  const providers = {} as Record<ProviderName, TcpProxy>
  for (const [name, baseUrl] of Object.entries(site.baseUrls) as [ProviderName, string][]) {
    const url = new URL(baseUrl)
    const proxy = await startProxy({ host: '127.0.0.1', port: Number(url.port) })
    opening.defer(async () => proxy.close())
    providers[name] = proxy
    url.port = String(proxy.port)
    site.baseUrls[name] = url.href.replace(/\/$/, '')
  }

  const { port, release } = await freePort()
  opening.defer(release)
  const apiUrl = `http://127.0.0.1:${port}`
  const api = await member('api', 'src/api/main.ts', { PORT: String(port) })
  opening.defer(api.close)
  const worker = await startWorker('worker', {})
  opening.defer(worker.close)
  await apiIsReady(apiUrl, AbortSignal.timeout(READY_MS))
  const cast = await casting(site)
  const open = opening.move()
  return {
    stack,
    site: { ...site, api: () => apiUrl },
    ...{ cast, api, apiUrl, worker, providers },
    secondWorkerLog: logPathOf('second-worker'),
    startSecondWorker: environment => startWorker('second-worker', environment ?? {}),
    close: () => open.disposeAsync(),
  }

  function logPathOf(name: string): string {
    return join(stack.home.folder, 'logs', `drill-${name}.log`)
  }

  async function startWorker(name: string, environment: NodeJS.ProcessEnv): Promise<Member> {
    const started = await member(name, 'src/worker.ts', environment)
    const isReady = async () => (await readFile(started.part.logPath, 'utf8')).includes('"msg":"ready"')
    await waitUntil(isReady, { what: `${name} does not get ready`, limitMs: READY_MS })
    return started
  }

  async function member(name: string, program: string, more: NodeJS.ProcessEnv): Promise<Member> {
    const database = new URL(stack.local.database_url)
    const [postgres, temporal] = await Promise.all([
      startProxy({ host: database.hostname, port: Number(database.port) }),
      startProxy({ host: '127.0.0.1', port: Number(stack.local.temporal_address.split(':')[1]) }),
    ])
    database.port = String(postgres.port)
    const environment = await environmentOf(stack, {
      ...NO_LIMIT,
      TRILHO_TIME_SCALE: String(timeScale),
      DATABASE_URL: database.href,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      ...more,
    })
    const part = startPart(program, environment, logPathOf(name))
    const close = async () => {
      await part.stop()
      postgres.close()
      temporal.close()
    }
    return { part, postgres, temporal, close }
  }
}
