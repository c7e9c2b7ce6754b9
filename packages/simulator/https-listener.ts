import { createServer, type Server } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import type Koa from 'koa'
import type { TlsCredential } from './certificate.ts'

/** One HTTPS port. */
export type Listener = {
  port: number
  /** Closes idle connections, so that the next request needs a handshake. */
  closeIdleConnections(): void
  /** Stops accepting connections and ends the open ones. */
  close(): Promise<void>
}

type ListenAddress = { host: string; port: number }
type TlsIdentity = { credential: TlsCredential; ca: string }

/**
 * Resets of handshakes: `isPending` tells whether one is planned, `consume` uses up one and tells whether there was
 * one.
 */
export type HandshakeResets = { isPending(): boolean; consume(): boolean }
const NO_RESETS: HandshakeResets = { isPending: () => false, consume: () => false }

/** Time for running requests when the simulator stops. */
const SHUTDOWN_GRACE_MS = 1_000

/**
 * Serves an application by HTTPS. Client certificates are optional here, because the account that may require one is
 * known only after the handshake. TLS runs over a TCP server of our own, so that a handshake can be reset.
 */
export async function listenHttps(
  app: Koa,
  options: ListenAddress & TlsIdentity & { resets?: HandshakeResets },
): Promise<Listener> {
  const { host, port, credential, ca, resets = NO_RESETS } = options
  const https = createServer({
    key: credential.key,
    cert: credential.certificate,
    ca,
    requestCert: true,
    rejectUnauthorized: false,
  })
  const idle = trackIdleConnections(https, resets)
  https.on('request', app.callback())
  const tcp = createTcpServer(socket => acceptConnection(socket, https, resets))
  const sockets = trackSockets(tcp)
  await new Promise<void>((done, fail) => {
    tcp.once('error', fail)
    tcp.listen({ host, port }, done)
  })
  return {
    port: (tcp.address() as AddressInfo).port,
    closeIdleConnections: idle.close,
    close: async () => {
      const closed = new Promise<void>(done => tcp.close(() => done()))
      idle.closeFromNowOn()
      const graceTimer = setTimeout(() => destroySockets(sockets), SHUTDOWN_GRACE_MS)
      await closed
      clearTimeout(graceTimer)
    },
  }
}

/** Hands a connection to TLS, or resets it when its handshake begins. */
function acceptConnection(socket: Socket, https: Server, resets: HandshakeResets): void {
  socket.on('error', () => socket.destroy())
  if (!resets.isPending()) return void https.emit('connection', socket)
  socket.once('data', clientHello => {
    if (resets.consume()) return void socket.resetAndDestroy()
    socket.pause()
    socket.unshift(clientHello)
    https.emit('connection', socket)
  })
}

/**
 * Tracks the connections without a running request. Node's own list exists only for a server that listens itself,
 * which this HTTPS server does not. While a reset is planned none stays open: the next request has to shake hands.
 */
function trackIdleConnections(https: Server, resets: HandshakeResets) {
  const idle = new Set<Socket>()
  let isClosing = false
  const markIdle = (socket: Socket) => {
    if (isClosing) socket.destroy()
    else if (!socket.destroyed) idle.add(socket)
  }
  https.on('secureConnection', socket => {
    markIdle(socket)
    socket.once('close', () => idle.delete(socket))
  })
  https.on('request', (request, response) => {
    idle.delete(request.socket)
    response.once('close', () => {
      if (resets.isPending()) request.socket.destroy()
      else markIdle(request.socket)
    })
  })
  return {
    close: () => destroySockets(idle),
    closeFromNowOn: () => {
      isClosing = true
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
