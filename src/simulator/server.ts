import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Koa from 'koa'
import type { Logger } from 'pino'
import { Agent } from 'undici'
import type { SimulatorConfig } from '../config.ts'
import { PROVIDER_NAMES, type ProviderName } from '../domain/providers/provider.ts'
import { listServerHosts, openCertificateAuthority } from './certificates.ts'
import { createControlRoutes } from './control/routes.ts'
import { type Listener, listenHttps } from './https-listener.ts'
import { createInboxRoutes } from './inbox-routes.ts'
import { createPayerRoutes } from './payer/payer-page.ts'
import { createPayloadSigner } from './payer/payload-document.ts'
import { efiRouteNotFound } from './provider-apis/efi/errors.ts'
import { createEfiRoutes } from './provider-apis/efi.ts'
import { createWooviRoutes } from './provider-apis/woovi.ts'
import { ControlApiError } from './request.ts'
import { createSimulatorState, type SimulatorState } from './state.ts'
import { openStore } from './store.ts'

/** What `simulator.json` says, for whoever works with a running simulator. */
export type SimulatorInfo = {
  pid: number
  /** The main port: control API, payer's page, payload URLs, inbox. */
  url: string
  control_url: string
  pay_url: string
  inbox_url: string
  ca_file: string
  providers: Record<ProviderName, { base_url: string }>
}

export type Simulator = { info: SimulatorInfo; close(): Promise<void> }

type SimulatorOptions = {
  config: SimulatorConfig
  log: Logger
  /** The clock of charges and tokens; the machine's where absent. */
  now?: () => Date
}

/** Brings a simulator up over its home folder; state and certificates there survive it. */
export async function startSimulator({
  config,
  log,
  now = () => new Date(),
}: SimulatorOptions): Promise<Simulator> {
  removeSimulatorInfo(config.home) // Of one that was killed: who waits for this one would find that.
  const store = openStore(config.home)
  const authority = await openCertificateAuthority(config.home)
  const credential = await authority.issueServerCertificate(listServerHosts(config.host, config.publicHost))
  const client = await authority.issueClientCertificate('provider webhooks')
  const dispatcher = new Agent({ connect: { ca: authority.ca, cert: client.certificate, key: client.key } })
  const stop = new AbortController()
  let url = ''
  const world = createSimulatorState({
    ...{ store, now, log, dispatcher, seed: config.seed, timeScale: config.timeScale },
    seal: createPayloadSigner(credential.key),
    stopping: stop.signal,
    url: () => url,
  })

  const identity = { host: config.host, credential, ca: authority.ca }
  const providers = new Map<ProviderName, Listener>()
  const closeIdleConnections = (name: ProviderName) => providers.get(name)!.closeIdleConnections()
  const main = await listenHttps(
    createMainApp(world, createControlRoutes(world, { authority, closeIdleConnections })),
    {
      ...identity,
      port: config.port,
    },
  )
  url = buildUrl(main, config.publicHost)
  for (const [index, name] of PROVIDER_NAMES.entries()) {
    const resets = {
      pending: () => world.faults.isUnreachable(name),
      take: () => world.faults.consumeUnreachable(name),
    }
    const port = config.providerPorts[index]!
    providers.set(name, await listenHttps(createProviderApp(world, name), { ...identity, port, resets }))
  }
  world.schedule.start()

  const facts = buildSimulatorInfo({ url, host: config.publicHost, caFile: authority.caFile, providers })
  writeSimulatorInfo(config.home, facts)
  const close = async () => {
    removeSimulatorInfo(config.home)
    stop.abort()
    await Promise.all([main, ...providers.values()].map(listener => listener.close()))
    await world.schedule.stop()
    await dispatcher.destroy()
    store.close()
  }
  return { info: facts, close }
}

function createMainApp(world: SimulatorState, control: ReturnType<typeof createControlRoutes>): Koa {
  const app = createApp(world.log)
  app.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ControlApiError)) throw error
      ctx.status = error.status
      ctx.body = { message: error.message, ...(error.errors ? { errors: error.errors } : {}) }
    }
  })
  for (const router of [control, createPayerRoutes(world), createInboxRoutes(world)])
    app.use(router.routes()).use(router.allowedMethods())
  app.use(ctx => {
    ctx.status = 404
    ctx.body = { message: 'no such address' }
  })
  return app
}

function createProviderApp(world: SimulatorState, provider: ProviderName): Koa {
  const app = createApp(world.log)
  for (const router of [createEfiRoutes(world, provider), createWooviRoutes(world, provider)])
    app.use(router.routes())
  app.use(ctx => {
    const { status, body } = efiRouteNotFound()
    ctx.status = status
    ctx.body = body as object
  })
  return app
}

/** Koa prints errors itself unless someone listens; a caller that hung up is no error. */
function createApp(log: Logger): Koa {
  const app = new Koa()
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') log.error({ err: error }, 'a request failed')
  })
  return app
}

function buildUrl({ port }: Listener, host: string): string {
  return `https://${host}:${port}`
}

type RunningListeners = { url: string; host: string; caFile: string; providers: Map<ProviderName, Listener> }

function buildSimulatorInfo({ url, host, caFile, providers }: RunningListeners): SimulatorInfo {
  const bases = PROVIDER_NAMES.map(
    name => [name, { base_url: buildUrl(providers.get(name)!, host) }] as const,
  )
  return {
    pid: process.pid,
    url,
    control_url: `${url}/control`,
    pay_url: `${url}/pay`,
    inbox_url: `${url}/inbox`,
    ca_file: caFile,
    providers: Object.fromEntries(bases) as SimulatorInfo['providers'],
  }
}

/** Written beside and renamed, so that nobody ever reads half of it. */
function writeSimulatorInfo(home: string, facts: SimulatorInfo): void {
  mkdirSync(home, { recursive: true })
  const file = simulatorInfoFile(home)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

function removeSimulatorInfo(home: string): void {
  rmSync(simulatorInfoFile(home), { force: true })
}

function simulatorInfoFile(home: string): string {
  return join(home, 'simulator.json')
}
