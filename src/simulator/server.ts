import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Koa from 'koa'
import type { Logger } from 'pino'
import { Agent } from 'undici'
import type { SimulatorConfig } from '../config.ts'
import { PROVIDER_NAMES, type ProviderName } from '../domain/provider.ts'
import { controlRoutes } from './control/routes.ts'
import { noSuchRoute } from './dialects/efi/errors.ts'
import { efiRoutes } from './dialects/efi.ts'
import { wooviRoutes } from './dialects/woovi.ts'
import { inboxRoutes } from './inbox-routes.ts'
import { type Listener, listen } from './listeners.ts'
import { payerRoutes } from './payer-page.ts'
import { payloadSealOf } from './payload-document.ts'
import { Refusal } from './route.ts'
import { openStore } from './store.ts'
import { openAuthority, serverHosts } from './tls.ts'
import { type World, worldOf } from './world.ts'

/** What `simulator.json` says, for whoever works with a running simulator. */
export type SimulatorFacts = {
  pid: number
  /** The main port: control API, payer's page, payload URLs, inbox. */
  url: string
  control_url: string
  pay_url: string
  inbox_url: string
  ca_file: string
  providers: Record<ProviderName, { base_url: string }>
}

export type Simulator = { facts: SimulatorFacts; close(): Promise<void> }

type Options = {
  config: SimulatorConfig
  log: Logger
  /** The clock of charges and tokens; the machine's where absent. */
  now?: () => Date
}

/** Brings a simulator up over its home folder; state and certificates there survive it. */
export async function startSimulator({ config, log, now = () => new Date() }: Options): Promise<Simulator> {
  removeFacts(config.home) // Of one that was killed: who waits for this one would find that.
  const store = openStore(config.home)
  const authority = await openAuthority(config.home)
  const credential = await authority.issueServerCertificate(serverHosts(config.host, config.publicHost))
  const client = await authority.issueClientCertificate('provider webhooks')
  const dispatcher = new Agent({ connect: { ca: authority.ca, cert: client.certificate, key: client.key } })
  const stop = new AbortController()
  let url = ''
  const world = worldOf({
    ...{ store, now, log, dispatcher, seed: config.seed, timeScale: config.timeScale },
    seal: payloadSealOf(credential.key),
    stopping: stop.signal,
    url: () => url,
  })

  const identity = { host: config.host, credential, ca: authority.ca }
  const providers = new Map<ProviderName, Listener>()
  const closeIdleConnections = (name: ProviderName) => providers.get(name)!.closeIdleConnections()
  const main = await listen(mainApp(world, controlRoutes(world, { authority, closeIdleConnections })), {
    ...identity,
    port: config.port,
  })
  url = urlOf(main, config.publicHost)
  for (const [index, name] of PROVIDER_NAMES.entries()) {
    const resets = {
      pending: () => world.faults.isUnreachable(name),
      take: () => world.faults.takeUnreachable(name),
    }
    const port = config.providerPorts[index]!
    providers.set(name, await listen(providerApp(world, name), { ...identity, port, resets }))
  }
  world.agenda.start()

  const facts = factsOf({ url, host: config.publicHost, caFile: authority.caFile, providers })
  writeFacts(config.home, facts)
  const close = async () => {
    removeFacts(config.home)
    stop.abort()
    await Promise.all([main, ...providers.values()].map(listener => listener.close()))
    await world.agenda.stop()
    await dispatcher.destroy()
    store.close()
  }
  return { facts, close }
}

function mainApp(world: World, control: ReturnType<typeof controlRoutes>): Koa {
  const app = quietApp(world.log)
  app.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      ctx.status = error.status
      ctx.body = { message: error.message, ...(error.errors ? { errors: error.errors } : {}) }
    }
  })
  for (const router of [control, payerRoutes(world), inboxRoutes(world)])
    app.use(router.routes()).use(router.allowedMethods())
  app.use(ctx => {
    ctx.status = 404
    ctx.body = { message: 'no such address' }
  })
  return app
}

function providerApp(world: World, provider: ProviderName): Koa {
  const app = quietApp(world.log)
  for (const router of [efiRoutes(world, provider), wooviRoutes(world, provider)]) app.use(router.routes())
  app.use(ctx => {
    const { status, body } = noSuchRoute()
    ctx.status = status
    ctx.body = body as object
  })
  return app
}

/** Koa prints errors itself unless someone listens; a caller that hung up is no error. */
function quietApp(log: Logger): Koa {
  const app = new Koa()
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') log.error({ err: error }, 'a request failed')
  })
  return app
}

function urlOf({ port }: Listener, host: string): string {
  return `https://${host}:${port}`
}

type Up = { url: string; host: string; caFile: string; providers: Map<ProviderName, Listener> }

function factsOf({ url, host, caFile, providers }: Up): SimulatorFacts {
  const bases = PROVIDER_NAMES.map(name => [name, { base_url: urlOf(providers.get(name)!, host) }] as const)
  return {
    pid: process.pid,
    url,
    control_url: `${url}/control`,
    pay_url: `${url}/pay`,
    inbox_url: `${url}/inbox`,
    ca_file: caFile,
    providers: Object.fromEntries(bases) as SimulatorFacts['providers'],
  }
}

/** Written beside and renamed, so that nobody ever reads half of it. */
function writeFacts(home: string, facts: SimulatorFacts): void {
  mkdirSync(home, { recursive: true })
  const file = factsFile(home)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

function removeFacts(home: string): void {
  rmSync(factsFile(home), { force: true })
}

function factsFile(home: string): string {
  return join(home, 'simulator.json')
}
