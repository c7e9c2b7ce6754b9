import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../domain/errors/error-catalogue.ts'
import { ApiError } from './api-error.ts'
import { buildErrorBody } from './error-handler.ts'
import { CLOSE_DELAY_MS } from './limits.ts'
import { SECURITY_HEADERS } from './request-id.ts'

const ERROR_CODE_BY_NODE_CODE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Responds, in the contract's error format, to bytes on a connection that Node cannot parse as a request; Koa never
 * sees them. `pendingResponses` are the earlier responses on the same connection that have not ended.
 */
export function respondToMalformedRequest(
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
