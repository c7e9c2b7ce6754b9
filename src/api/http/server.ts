import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import {
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_ARRIVAL_TIMEOUT_MS,
  SHUTDOWN_TIMEOUT_MS,
  UPLOAD_TIMEOUT_MS,
} from '../limits.ts'
import { respondToMalformedRequest } from './malformed-request.ts'

export type RunningServer = {
  /** Where it listens, without a path. */
  url: string
  port: number
  /** Takes no new request, lets those under way finish, and then hangs up. */
  stop(): Promise<void>
}

/** The longest that any request may take to arrive; most get less, see `giveTime`. Between two, a connection may rest. */
const SERVER_TIMEOUTS = {
  headersTimeout: REQUEST_ARRIVAL_TIMEOUT_MS,
  requestTimeout: UPLOAD_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
}
const arrivalTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/**
 * A request that has not arrived whole by then is hung up on, so that slow senders hold no connection. Who may send much
 * is given more time by whoever finds out that he may.
 */
export function setArrivalTimeout(request: IncomingMessage, ms: number): void {
  clearTimeout(arrivalTimers.get(request))
  const clock = setTimeout(() => request.complete || request.destroy(), ms)
  clock.unref()
  arrivalTimers.set(request, clock)
}

/** Listens for an app; rejects where the port is taken. */
export async function startServer(
  app: Koa,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const underWay = new Set<ServerResponse>()
  const answer = app.callback()
  const server = createServer(SERVER_TIMEOUTS, (request, response) => {
    setArrivalTimeout(request, REQUEST_ARRIVAL_TIMEOUT_MS)
    request.once('close', () => clearTimeout(arrivalTimers.get(request)))
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (!server.listening) response.setHeader('Connection', 'close')
    void answer(request, response)
  })
  server.on('clientError', (error, socket) => {
    respondToMalformedRequest(error, {
      socket,
      pendingResponses: [...underWay].filter(({ req }) => req.socket === socket),
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  const address = server.address() as AddressInfo

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    async stop() {
      const closed = new Promise(resolve => server.close(resolve))
      for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close')
      const impatience = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
      await closed
      clearTimeout(impatience)
    },
  }
}
