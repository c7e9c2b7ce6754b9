import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import { Agent } from 'undici'
import { PROVIDER_NAMES, type ProviderApi, type ProviderName } from '../../src/domain/providers/provider.ts'
import { listServerHosts, openCertificateAuthority } from './certificates.ts'
import type { SimulatorConfig } from './config.ts'
import { createControlRoutes } from './control/routes.ts'
import { type Listener, listenHttps } from './https-listener.ts'
import { createPayerRoutes } from './payer/payer-page.ts'
import { createPayloadSigner } from './payer/payload-document.ts'
import { efiRouteNotFound } from './provider-apis/efi/errors.ts'
import { createEfiRoutes } from './provider-apis/efi.ts'
import { createInterRoutes } from './provider-apis/inter.ts'
import { createSicoobRoutes } from './provider-apis/sicoob.ts'
import { serveStarkApi } from './provider-apis/stark.ts'
import { createWooviRoutes } from './provider-apis/woovi.ts'
import { ControlApiError, readBodyText } from './request.ts'
import { createSimulatorState, type SimulatorState } from './state.ts'
import { openStore } from './store.ts'

/** Content of `simulator.json`: where a running simulator is reached. */
export type SimulatorInfo = {
  pid: number
  /** Main port: control API, payer's page, payload URLs, inbox. */
  url: string
  control_url: string
  pay_url: string
  inbox_url: string
  ca_file: string
  providers: Record<ProviderName, { base_url: string }>
}

type Simulator = { info: SimulatorInfo; close(): Promise<void> }

type SimulatorOptions = {
  config: SimulatorConfig
  log: Logger
  /** Clock of charges and tokens; absent: the machine's. */
  now?: () => Date
}

/** Starts a simulator on its home folder, which keeps state and certificates. */
export async function startSimulator({
  config,
  log,
  now = () => new Date(),
}: SimulatorOptions): Promise<Simulator> {
  removeSimulatorInfo(config.home) // A killed process may have left its file, which readers would take for this one's.
  const store = openStore(config.home)
  const authority = await openCertificateAuthority(config.home)
  const credential = await authority.issueServerCertificate(listServerHosts(config.host, config.publicHost))
  const client = await authority.issueClientCertificate('provider webhooks')
  const dispatcher = new Agent({
    connect: { ca: authority.ca, cert: client.certificate, key: client.key },
    allowH2: false,
  })
  const stop = new AbortController()
  let url = ''
  const state = createSimulatorState({
    store,
    now,
    log,
    dispatcher,
    seed: config.seed,
    timeScale: config.timeScale,
    signer: createPayloadSigner(credential.key, () => `${url}/jwks`),
    stopping: stop.signal,
    url: () => url,
  })

  const identity = { host: config.host, credential, ca: authority.ca }
  const providers = new Map<ProviderName, Listener>()
  const closeIdleConnections = (name: ProviderName) => providers.get(name)!.closeIdleConnections()
  const control = createControlRoutes(state, { authority, closeIdleConnections })
  const main = await listenHttps(createMainApp(state, control), { ...identity, port: config.port })
  url = buildUrl(main, config.publicHost)
  for (const [index, name] of PROVIDER_NAMES.entries()) {
    const resets = {
      isPending: () => state.faults.isUnreachable(name),
      consume: () => state.faults.consumeUnreachable(name),
    }
    const port = config.providerPorts[index]!
    providers.set(name, await listenHttps(createProviderApp(state, name), { ...identity, port, resets }))
  }
  state.schedule.start()

  const info = buildSimulatorInfo({ url, host: config.publicHost, caFile: authority.caFile, providers })
  writeSimulatorInfo(config.home, info)
  const close = async () => {
    removeSimulatorInfo(config.home)
    stop.abort()
    await Promise.all([main, ...providers.values()].map(listener => listener.close()))
    await state.schedule.stop()
    await dispatcher.destroy()
    store.close()
  }
  return { info, close }
}

function createMainApp(state: SimulatorState, control: ReturnType<typeof createControlRoutes>): Koa {
  const app = createApp(state.log)
  app.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ControlApiError)) throw error
      ctx.status = error.status
      ctx.body = { message: error.message, ...(error.errors ? { errors: error.errors } : {}) }
    }
  })
  for (const router of [control, createPayerRoutes(state), createInboxRoutes(state)])
    app.use(router.routes()).use(router.allowedMethods())
  app.use(ctx => {
    ctx.status = 404
    ctx.body = { message: 'no such route' }
  })
  return app
}

type ServeProviderApi = (state: SimulatorState, provider: ProviderName) => Middleware

/** Serves each provider API on one provider's port, in this order. */
const PROVIDER_API_SERVERS: Record<ProviderApi, ServeProviderApi> = {
  // First, because paths of Stark's API are paths of Efí's too; a request of its own has the header Access-Id.
  stark: serveStarkApi,
  efi: servingRoutes(createEfiRoutes),
  woovi: servingRoutes(createWooviRoutes),
  sicoob: servingRoutes(createSicoobRoutes),
  inter: servingRoutes(createInterRoutes),
}

function servingRoutes(
  createRoutes: (state: SimulatorState, provider: ProviderName) => Router,
): ServeProviderApi {
  return (state, provider) => createRoutes(state, provider).routes() as unknown as Middleware
}

function createProviderApp(state: SimulatorState, provider: ProviderName): Koa {
  const app = createApp(state.log)
  for (const serve of Object.values(PROVIDER_API_SERVERS)) app.use(serve(state, provider))
  app.use(ctx => {
    const { status, body } = efiRouteNotFound()
    ctx.status = status
    ctx.body = body as object
  })
  return app
}

/**
 * Creates an application that logs errors, except those of a caller that disconnected. Without a listener Koa prints
 * them.
 */
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
  const providerInfos = PROVIDER_NAMES.map(
    name => [name, { base_url: buildUrl(providers.get(name)!, host) }] as const,
  )
  return {
    pid: process.pid,
    url,
    control_url: `${url}/control`,
    pay_url: `${url}/pay`,
    inbox_url: `${url}/inbox`,
    ca_file: caFile,
    providers: Object.fromEntries(providerInfos) as SimulatorInfo['providers'],
  }
}

/** Writes `simulator.json` by a rename, so that no reader gets a part of it. */
function writeSimulatorInfo(home: string, info: SimulatorInfo): void {
  mkdirSync(home, { recursive: true })
  const file = simulatorInfoFile(home)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

function removeSimulatorInfo(home: string): void {
  rmSync(simulatorInfoFile(home), { force: true })
}

function simulatorInfoFile(home: string): string {
  return join(home, 'simulator.json')
}

/** Serves `/inbox/<name>` and any path below it, because Efí appends `/pix`, with any method and body. */
function createInboxRoutes({ inbox }: SimulatorState): Router {
  const router = new Router()
  router.all('/inbox/:name{/*rest}', async ctx => {
    const { name } = ctx.params as { name: string }
    const { method, headers } = ctx.req
    const response = await inbox.receive(name, { method: method!, headers, body: await readBodyText(ctx) })
    ctx.type = 'json'
    ctx.set(response.headers)
    ctx.body = response.body
    ctx.status = response.status
  })
  return router
}
