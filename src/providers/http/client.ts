import {
  type ConnectionPool,
  type OpenConnectionPool,
  openConnectionPool,
  type TlsCertificates,
} from './connection-pool.ts'
import type { ExchangeOutcome } from './exchange.ts'

export type HttpCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  json?: unknown
  /** Bytes of another kind. */
  body?: { type: string; bytes: Buffer }
  /** A connection of its own: for sending money, so that a reset idle socket never looks like a request that left. */
  hasOwnConnection?: boolean
}

export type HttpClient = {
  call(call: HttpCall): Promise<ExchangeOutcome>
  /** A `fresh` call follows at once: its connection is opened meanwhile. */
  preconnect(): void
  /** Lets running calls finish. */
  close(): Promise<void>
}

export type HttpClientOptions = {
  baseUrl: string
  tls?: TlsCertificates
  timeoutMs: number
  openPool?: OpenConnectionPool | undefined
}

/** HTTP towards one provider, over lines that may be shared. A bad certificate or key throws here, not in a call. */
export function createHttpClient({
  baseUrl,
  tls,
  timeoutMs,
  openPool: open = openConnectionPool,
}: HttpClientOptions): HttpClient {
  const { origin, pathname } = new URL(baseUrl)
  const basePath = pathname.replace(/\/$/, '')
  const lines = open({ origin, tls, timeoutMs })
  return {
    call(call) {
      const request = buildRequest(call, basePath)
      return call.hasOwnConnection ? lines.sendOnOwnConnection(request) : lines.sendPooled(request)
    },
    preconnect: () => lines.preconnect(),
    close: () => lines.close(),
  }
}

function buildRequest(call: HttpCall, basePath: string): Parameters<ConnectionPool['sendPooled']>[0] {
  const body = call.json === undefined ? call.body?.bytes : JSON.stringify(call.json)
  const type = call.json === undefined ? call.body?.type : 'application/json'
  return {
    method: call.method,
    path: basePath + call.path,
    headers: {
      accept: 'application/json',
      ...(type === undefined ? {} : { 'content-type': type }),
      ...call.headers,
    },
    body,
  }
}
