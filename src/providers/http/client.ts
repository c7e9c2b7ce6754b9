import type { FormData } from 'undici'
import {
  type ConnectionPool,
  type OpenConnectionPool,
  openConnectionPool,
  type TlsCertificates,
} from './connection-pool.ts'
import type { ExchangeOutcome } from './exchange.ts'

export type HttpCall = {
  /** GET if absent. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  json?: unknown
  /** A body of the type `multipart/form-data`. */
  form?: FormData
  /** A body of the type `application/x-www-form-urlencoded`. */
  urlEncoded?: Record<string, string>
  /** Uses a connection of its own: for money, so that a reset idle socket never looks like a request that left. */
  hasOwnConnection?: boolean
}

export type HttpClient = ReturnType<typeof createHttpClient>

export type HttpClientOptions = {
  baseUrl: string
  tls?: TlsCertificates
  timeoutMs: number
  openPool?: OpenConnectionPool | undefined
}

/** Creates the HTTP client of one provider, on connections that may be shared. Throws for a bad certificate or key. */
export function createHttpClient(options: HttpClientOptions) {
  const { baseUrl, tls, timeoutMs, openPool = openConnectionPool } = options
  const { origin, pathname } = new URL(baseUrl)
  const basePath = pathname.replace(/\/$/, '')
  const pool = openPool({ origin, tls, timeoutMs })
  return {
    call(call: HttpCall): Promise<ExchangeOutcome> {
      const request = buildRequest(call, basePath)
      return call.hasOwnConnection ? pool.sendOnOwnConnection(request) : pool.sendPooled(request)
    },
    /** Opens the connection of an imminent call with `hasOwnConnection`. */
    preconnect: pool.preconnect,
    /** Lets running calls finish. */
    close: pool.close,
  }
}

/** Builds the path of a call; every inserted value is encoded. */
export function encodePath(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw(parts, ...values.map(encodeURIComponent))
}

function buildRequest(call: HttpCall, basePath: string): Parameters<ConnectionPool['sendPooled']>[0] {
  const { contentType, body } = buildBody(call)
  return {
    method: call.method ?? 'GET',
    path: basePath + call.path,
    headers: {
      accept: 'application/json',
      ...(contentType && { 'content-type': contentType }),
      ...call.headers,
    },
    body,
  }
}

function buildBody({ json, form, urlEncoded }: HttpCall) {
  if (json !== undefined) return { contentType: 'application/json', body: JSON.stringify(json) }
  if (urlEncoded)
    return {
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(urlEncoded).toString(),
    }
  return { body: form }
}
