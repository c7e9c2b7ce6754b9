import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import { StartupRefusal } from '../domain/errors/startup-refusal.ts'
import {
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_ARRIVAL_TIMEOUT_MS,
  SHUTDOWN_TIMEOUT_MS,
  UPLOAD_TIMEOUT_MS,
} from './limits.ts'
import { respondToMalformedRequest } from './malformed-request.ts'

export type RunningServer = {
  /** Base URL without a path. */
  url: string
  port: number
  /** Stops accepting requests, lets pending ones finish, then closes all connections. */
  stop(): Promise<void>
}

/** Upper limits of Node's server for any request; `setArrivalTimeout` sets shorter ones. */
const SERVER_TIMEOUTS = {
  headersTimeout: REQUEST_ARRIVAL_TIMEOUT_MS,
  requestTimeout: UPLOAD_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
}
const arrivalTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/**
 * Sets the time within which a request must arrive completely; later its connection is destroyed, so that slow
 * clients hold no connections. Called again with more time once the client is known to be allowed a large body.
 */
export function setArrivalTimeout(request: IncomingMessage, ms: number): void {
  clearTimeout(arrivalTimers.get(request))
  const timer = setTimeout(() => request.complete || request.destroy(), ms)
  timer.unref()
  arrivalTimers.set(request, timer)
}

export function formatServerUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Handles the error of a process that cannot listen at its address: throws a `StartupRefusal`. */
export function refuseAddress(portVariable: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new StartupRefusal(
      `The process cannot listen at HOST and ${portVariable} (${code}): name others, or free the port`,
    )
  }
}

/** Starts the HTTP server of an app; rejects where the port is in use. */
export async function startServer(
  app: Koa,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const pendingResponses = new Set<ServerResponse>()
  const handleRequest = app.callback()
  const server = createServer(SERVER_TIMEOUTS, (request, response) => {
    setArrivalTimeout(request, REQUEST_ARRIVAL_TIMEOUT_MS)
    request.once('close', () => clearTimeout(arrivalTimers.get(request)))
    pendingResponses.add(response)
    response.once('close', () => pendingResponses.delete(response))
    if (!server.listening) response.setHeader('Connection', 'close')
    void handleRequest(request, response)
  })
  server.on('clientError', (error, socket) => {
    respondToMalformedRequest(error, {
      socket,
      pendingResponses: [...pendingResponses].filter(({ req }) => req.socket === socket),
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  const address = server.address() as AddressInfo

  return {
    url: formatServerUrl(host, address.port),
    port: address.port,
    async stop() {
      const closed = new Promise(resolve => server.close(resolve))
      for (const response of pendingResponses)
        if (!response.headersSent) response.setHeader('Connection', 'close')
      const forcedClose = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
      await closed
      clearTimeout(forcedClose)
    },
  }
}
