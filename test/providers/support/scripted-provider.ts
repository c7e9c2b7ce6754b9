import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { reserveFreePort } from '../../../packages/dev/os/ports.ts'
import { createSelfSignedCertificate } from './certificate.ts'

/** One reply of the provider: an answer, or one of the ways to give none. */
export type ScriptedReply =
  | { status: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | 'hang'
  | 'reset'
  | 'half'

/** `reply`: the provider's next reply, where that may be none. */
export type ProviderFixtureOptions = { now?: () => number; reply?: ScriptedReply }

/** The longest time that a busy machine needs for an answer, in milliseconds. */
const PATIENCE_MS = 60_000

/** How long an adapter waits: as long as a busy machine may need for an answer, and shortly for a missing one. */
export function timeoutMsFor(reply: ScriptedReply | undefined): number {
  return reply === 'hang' ? 5_000 : PATIENCE_MS
}

export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  connection: number
  /** The subject of the client's certificate, where it sent one. */
  client: string | undefined
  /** Its connection resumed the TLS session of one before it. */
  isResumed: boolean
}

type ScriptedProviderOptions = Pick<TlsOptions, 'maxVersion'> & {
  /** Its certificate; valid for an hour where absent. */
  serverCertificate?: { certificate: string; key: string }
  /** The authority of its clients' certificates; any client may call where absent. */
  ca?: string
}

const isTokenPath = (path: string) => path.endsWith('/token')

/** Of all providers of a suite. */
const usualCertificate = createSelfSignedCertificate()

/**
 * A scripted provider over TLS on loopback. Each route replies in its order, and keeps repeating its last reply; a
 * token is given to every request, unless scripted otherwise.
 */
export async function startScriptedProvider({
  maxVersion,
  serverCertificate: own,
  ca,
}: ScriptedProviderOptions = {}) {
  const { certificate, key } = own ?? (await usualCertificate)
  const scripts = new Map<string, ScriptedReply[]>()
  const rules = new Map<string, (path: string) => unknown>()
  const seen: ReceivedRequest[] = []
  const connections = new Map<Socket, number>()
  let resets = 0
  let tokens = 0

  // An idle connection stays open while a busy machine stands still: no reply is lost that the test did not script.
  const tls = {
    cert: certificate,
    key,
    requestCert: true,
    rejectUnauthorized: ca !== undefined,
    ca,
    maxVersion,
  }
  const server: Server = createServer(
    { ...tls, keepAliveTimeout: 2 * PATIENCE_MS },
    async (request, response) => {
      const call = await readRequest(request, connections.get(request.socket) ?? 0)
      seen.push(call)
      sendReply(replyTo(call), request, response)
    },
  )
  server.on('connection', (socket: Socket) => {
    if (resets-- > 0) socket.resetAndDestroy()
  })
  server.on('secureConnection', socket => connections.set(socket, connections.size + 1))
  server.on('tlsClientError', () => undefined)

  function replyTo({ method, path }: ReceivedRequest): ScriptedReply {
    const route = `${method} ${path.split('?')[0]}`
    const rule = rules.get(route)
    if (rule) return { status: 200, json: rule(path) }
    const script = scripts.get(`${method} ${path}`) ?? scripts.get(route)
    if (script) return script.length > 1 ? script.shift()! : script[0]!
    if (!isTokenPath(path)) return { status: 500, json: { nome: 'not_scripted', mensagem: route } }
    tokens += 1
    return { status: 200, json: { access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 3600 } }
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `https://localhost:${port}`,
    ca: certificate,
    seen,
    /** The calls except those for a token. */
    calls: () => seen.filter(({ path }) => !isTokenPath(path)),
    countTokenRequests: () => seen.filter(({ path }) => isTokenPath(path)).length,
    countConnections: () => connections.size,
    /** Of those, the ones that are still open. */
    countOpenConnections: () => [...connections.keys()].filter(socket => !socket.destroyed).length,
    scriptReplies(route: string, ...replies: ScriptedReply[]) {
      scripts.set(route, replies)
    },
    /** A route that answers 200 with a body computed from the path, its query included. */
    scriptReplyByPath(route: string, rule: (path: string) => unknown) {
      rules.set(route, rule)
    },
    /** The next handshakes are reset before they complete. */
    resetHandshakes(times: number) {
      resets = times
    },
    closeIdle: () => server.closeIdleConnections(),
    /** Of connections that have carried nothing yet as well. */
    destroyConnections: () => void [...connections.keys()].map(socket => socket.destroy()),
    /** Like a provider whose next machine takes over. */
    rotateTicketKeys: () => server.setTicketKeys(randomBytes(48)),
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

export type ScriptedProvider = Awaited<ReturnType<typeof startScriptedProvider>>

async function readRequest(request: IncomingMessage, connection: number): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString('utf8')
  const socket = request.socket as TLSSocket
  const client = socket.getPeerCertificate()?.subject?.CN?.toString()
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body, connection, client, isResumed: socket.isSessionReused() }
}

function sendReply(reply: ScriptedReply, request: IncomingMessage, response: ServerResponse): void {
  if (reply === 'hang') return
  if (reply === 'reset') return void request.socket.destroy()
  if (reply === 'half') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"status":')
    setTimeout(() => request.socket.destroy(), 20)
    return
  }
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  response.end(reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)))
}

/** A loopback port without a listener, until this process ends. */
export async function findUnusedUrl(): Promise<string> {
  return `https://localhost:${(await reserveFreePort()).port}`
}
