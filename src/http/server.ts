import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import type { ErrorCode } from '../domain/errors/error-catalogue.ts'
import { StartupRefusal } from '../domain/errors/startup-refusal.ts'
import { ApiError } from './api-error.ts'
import { buildErrorBody } from './error-handler.ts'
import {
  CLOSE_DELAY_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_ARRIVAL_TIMEOUT_MS,
  SHUTDOWN_TIMEOUT_MS,
  UPLOAD_TIMEOUT_MS,
} from './limits.ts'
import { SECURITY_HEADERS } from './request-id.ts'

export type RunningServer = {
  /** Base URL without a path. */
  url: string
  port: number
  /** Stops accepting requests, lets pending ones finish, then closes all connections. */
  stop(): Promise<void>
}

/**
 * Limits of Node's server for any request; `setArrivalTimeout` sets shorter ones. A missing Host is refused by
 * `requireValidHeaders`, with a body.
 */
const SERVER_OPTIONS = {
  requireHostHeader: false,
  headersTimeout: REQUEST_ARRIVAL_TIMEOUT_MS,
  requestTimeout: UPLOAD_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
}
const arrivalTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()
/** Fails the step that reads the body of a request. */
const arrivalFailures = new WeakMap<IncomingMessage, (error: ApiError) => void>()

/**
 * Sets the time within which a request must arrive completely; later its connection is closed, so that slow
 * clients hold no connections. Called again with more time once the client is known to be allowed a large body.
 */
export function setArrivalTimeout(request: IncomingMessage, ms: number): void {
  clearTimeout(arrivalTimers.get(request))
  const timer = setTimeout(() => request.complete || endLateRequest(request), ms)
  timer.unref()
  arrivalTimers.set(request, timer)
}

/**
 * Awaits a step that reads the body; fails with 408 at the end of the arrival timeout, and where the client has gone: a
 * reader that begins on a closed request waits forever.
 */
export function awaitArrival<T>(request: IncomingMessage, step: Promise<T>): Promise<T> {
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  const failIfCutOff = () => {
    if (!request.readableEnded) fail(new Error('the request was closed before its end'))
  }
  arrivalFailures.set(request, fail)
  request.once('close', failIfCutOff)
  if (request.closed) failIfCutOff()
  return Promise.race([step, failure]).finally(() => {
    arrivalFailures.delete(request)
    request.off('close', failIfCutOff)
  })
}

function endLateRequest(request: IncomingMessage): void {
  const failReading = arrivalFailures.get(request)
  if (!failReading) return void request.destroy()
  failReading(new ApiError('request_timeout', { headers: { Connection: 'close' } }))
  // The client reads the response first; one that keeps sending is not waited for.
  setTimeout(() => request.destroy(), CLOSE_DELAY_MS).unref()
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
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    setArrivalTimeout(request, REQUEST_ARRIVAL_TIMEOUT_MS)
    request.once('close', () => clearTimeout(arrivalTimers.get(request)))
    pendingResponses.add(response)
    response.once('close', () => pendingResponses.delete(response))
    if (!server.listening) response.setHeader('Connection', 'close')
    void handleRequest(request, response)
  }
  const server = createServer(SERVER_OPTIONS, serve)
  // Node itself would answer an unknown `Expect` without a body.
  server.on('checkExpectation', serve)
  server.on('clientError', (error, socket) => {
    respondToMalformedRequest(error, {
      socket,
      pendingResponses: [...pendingResponses].filter(({ req }) => req.socket === socket),
    })
  })
  // Node itself would close the connection of a CONNECT without a response.
  server.on('connect', ({ method }: IncomingMessage, socket: Duplex) => {
    respondToMalformedRequest(new Error(`${method} is not served`), { socket, pendingResponses: [] })
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
      const serverClose = new Promise(resolve => server.close(resolve))
      for (const response of pendingResponses)
        if (!response.headersSent) response.setHeader('Connection', 'close')
      const forcedClose = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
      await serverClose
      clearTimeout(forcedClose)
    },
  }
}

const ERROR_CODE_BY_NODE_CODE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Responds, in the contract's error format, to bytes on a connection that Node cannot parse as a request; Koa never
 * sees them. `pendingResponses` are the earlier responses on the same connection that have not ended.
 */
function respondToMalformedRequest(
  error: NodeJS.ErrnoException,
  { socket, pendingResponses }: { socket: Duplex; pendingResponses: ServerResponse[] },
): void {
  if (socket.writableEnded) return // The connection is already being closed by an earlier malformed request.
  if (!socket.writable) return void socket.destroy()
  // The client still receives the responses of its earlier complete requests: they may have moved money.
  const answeredResponses = pendingResponses.filter(response => response.req.complete)
  for (const response of answeredResponses)
    if (!response.headersSent) response.setHeader('Connection', 'close')
  const lastResponse = answeredResponses.at(-1)
  // Its headers may already be sent without `Connection: close`.
  if (lastResponse) return void lastResponse.once('finish', () => socket.end())
  if (pendingResponses.some(response => response.headersSent)) return void socket.destroy()
  socket.end(
    serializeErrorResponse(new ApiError(ERROR_CODE_BY_NODE_CODE[error.code ?? ''] ?? 'malformed_request')),
  )
  // A client that was suspended meanwhile first reads what has arrived.
  setTimeout(() => setImmediate(() => socket.destroy()), CLOSE_DELAY_MS).unref()
}

function serializeErrorResponse(refusal: ApiError): string {
  const requestId = randomUUID()
  const body = JSON.stringify(buildErrorBody(refusal, requestId))
  const headers = {
    ...SECURITY_HEADERS,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines, '', body].join('\r\n')
}
