import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { CLOSE_DELAY_MS } from '../limits.ts'
import { buildErrorBody } from '../middleware/error-handler.ts'
import { SECURITY_HEADERS } from '../middleware/request-id.ts'
import { ApiError } from './api-error.ts'

const ERROR_CODE_BY_NODE_CODE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Answers, in the contract's shape, what came over a connection and cannot be read as a request: no app has seen it.
 * `underWay` is what the same connection has brought before and waits for.
 */
export function respondToMalformedRequest(
  error: NodeJS.ErrnoException,
  { socket, pendingResponses: underWay }: { socket: Duplex; pendingResponses: ServerResponse[] },
): void {
  if (socket.writableEnded) return // What came behind it is answered with it.
  if (!socket.writable) return void socket.destroy()
  // Whoever sent too much hears what became of the request before: something may have been done.
  const read = underWay.filter(response => response.req.complete)
  for (const response of read) if (!response.headersSent) response.setHeader('Connection', 'close')
  const last = read.at(-1)
  if (last) return void last.once('finish', () => socket.end()) // Its headers may have gone without that word.
  if (underWay.some(response => response.headersSent)) return void socket.destroy()
  socket.end(
    serializeErrorResponse(new ApiError(ERROR_CODE_BY_NODE_CODE[error.code ?? ''] ?? 'malformed_request')),
  )
  // Whoever stood still meanwhile reads first what has come.
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
