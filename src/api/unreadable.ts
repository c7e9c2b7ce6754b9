import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RefusalCode } from '../domain/errors.ts'
import { SECURITY_HEADERS } from './envelope.ts'
import { Refusal } from './errors.ts'
import { bodyOf } from './failure.ts'
import { HEARD_MS } from './limits.ts'

const CODES: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Answers, in the contract's shape, what came over a connection and cannot be read as a request: no app has seen it.
 * `underWay` is what the same connection has brought before and waits for.
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  { socket, underWay }: { socket: Duplex; underWay: ServerResponse[] },
): void {
  if (socket.writableEnded) return // What came behind it is answered with it.
  if (!socket.writable) return void socket.destroy()
  // Whoever sent too much hears what became of the request before: something may have been done.
  const read = underWay.filter(response => response.req.complete)
  for (const response of read) if (!response.headersSent) response.setHeader('Connection', 'close')
  const last = read.at(-1)
  if (last) return void last.once('finish', () => socket.end()) // Its headers may have gone without that word.
  if (underWay.some(response => response.headersSent)) return void socket.destroy()
  socket.end(written(new Refusal(CODES[error.code ?? ''] ?? 'malformed_request')))
  // Whoever stood still meanwhile reads first what has come.
  setTimeout(() => setImmediate(() => socket.destroy()), HEARD_MS).unref()
}

function written(refusal: Refusal): string {
  const requestId = randomUUID()
  const body = JSON.stringify(bodyOf(refusal, requestId))
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
