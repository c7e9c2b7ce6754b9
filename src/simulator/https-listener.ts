import { createServer, type Server } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import type Koa from 'koa'
import type { TlsCredential } from './certificates.ts'

/** One HTTPS port. */
export type Listener = {
  port: number
  /** So that whoever comes next needs a handshake. */
  closeIdleConnections(): void
  /** Stops taking connections and ends those there are. */
  close(): Promise<void>
}

type ListenAddress = { host: string; port: number }
type TlsIdentity = { credential: TlsCredential; ca: string }

/** Decides, before each handshake, whether it is to be reset. */
export type HandshakeResets = { pending(): boolean; take(): boolean }
const NO_RESETS: HandshakeResets = { pending: () => false, take: () => false }

/** How long a request under way may take once the simulator stops, in milliseconds. */
const SHUTDOWN_GRACE_MS = 1_000

/**
 * Serves an application by HTTPS. A client's certificate is asked for, never demanded here: which accounts demand
 * one is known only after the handshake. The TCP socket comes first, so that a handshake can be reset.
 */
export async function listenHttps(
  app: Koa,
  where: ListenAddress & TlsIdentity & { resets?: HandshakeResets },
): Promise<Listener> {
  const { credential, ca, resets = NO_RESETS } = where
  const https = createServer({
    key: credential.key,
    cert: credential.certificate,
    ca,
    requestCert: true,
    rejectUnauthorized: false,
  })
  const idle = trackIdleConnections(https)
  https.on('request', app.callback())
  const tcp = createTcpServer(socket => acceptConnection(socket, https, resets))
  const sockets = trackSockets(tcp)
  await new Promise<void>((done, fail) => {
    tcp.once('error', fail)
    tcp.listen({ host: where.host, port: where.port }, done)
  })
  return {
    port: (tcp.address() as AddressInfo).port,
    closeIdleConnections: idle.close,
    close: async () => {
      const ended = new Promise<void>(done => tcp.close(() => done()))
      idle.closeFromNowOn()
      const impatience = setTimeout(() => destroySockets(sockets), SHUTDOWN_GRACE_MS)
      await ended
      clearTimeout(impatience)
    },
  }
}

/** Hands a connection to TLS, or resets it when its handshake begins. */
function acceptConnection(socket: Socket, https: Server, resets: HandshakeResets): void {
  socket.on('error', () => socket.destroy())
  if (!resets.pending()) return void https.emit('connection', socket)
  socket.once('data', hello => {
    if (resets.take()) return void socket.resetAndDestroy()
    socket.pause()
    socket.unshift(hello)
    https.emit('connection', socket)
  })
}

/**
 * Knows which connections wait for their next request. Node's own list of them is kept only by a server that listens
 * itself, which this one does not.
 */
function trackIdleConnections(https: Server) {
  const idle = new Set<Socket>()
  let closing = false
  const rest = (socket: Socket) => {
    if (closing) socket.destroy()
    else if (!socket.destroyed) idle.add(socket)
  }
  https.on('secureConnection', socket => {
    rest(socket)
    socket.once('close', () => idle.delete(socket))
  })
  https.on('request', (request, response) => {
    idle.delete(request.socket)
    response.once('close', () => rest(request.socket))
  })
  return {
    close: () => destroySockets(idle),
    closeFromNowOn: () => {
      closing = true
      destroySockets(idle)
    },
  }
}

function trackSockets(tcp: TcpServer): Set<Socket> {
  const sockets = new Set<Socket>()
  tcp.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

function destroySockets(sockets: Set<Socket>): void {
  for (const socket of sockets) socket.destroy()
}
