import { createSecureContext } from 'node:tls'
import { Client, type Dispatcher, Pool } from 'undici'
import { resumingConnector } from '../resuming.ts'
import { exchange, type Reply } from './exchange.ts'

/** PEM texts: our certificate and its key where the far side asks for one, and who may vouch for the far side. */
export type Tls = { certificate?: string; key?: string; ca?: string }

export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  json?: unknown
  /** Bytes of another kind. */
  body?: { type: string; bytes: Buffer }
  /** A connection of its own: for sending money, so that a reset idle socket never looks like a request that left. */
  fresh?: boolean
}

export type HttpClient = {
  call(call: Call): Promise<Reply>
  /** Lets running calls finish. */
  close(): Promise<void>
}

const MOST_CONNECTIONS = 64

/**
 * HTTP towards one provider: no redirects, bounded answers, and one deadline for all of a call (`timeoutMs`).
 * A bad certificate or key throws here, not in a call.
 */
export function httpClient({ baseUrl, tls, timeoutMs }: HttpOptions): HttpClient {
  const { origin, host, pathname } = new URL(baseUrl)
  const basePath = pathname.replace(/\/$/, '')
  const secureContext = createSecureContext({ cert: tls?.certificate, key: tls?.key, ca: tls?.ca })
  const connection = {
    connect: resumingConnector({ secureContext, timeout: timeoutMs, allowH2: false }),
    allowH2: false,
    pipelining: 1,
  }
  const pool = new Pool(origin, { ...connection, connections: MOST_CONNECTIONS })
  const limit = { timeoutMs, host }

  async function alone(request: Dispatcher.DispatchOptions): Promise<Reply> {
    const client = new Client(origin, connection)
    const reply = await exchange(client, { ...request, reset: true }, limit)
    await client.destroy()
    return reply
  }

  return {
    call(call) {
      const request = requestOf(call, basePath)
      return call.fresh ? alone(request) : exchange(pool, request, limit)
    },
    async close() {
      if (!pool.closed) await pool.close()
    },
  }
}

export type HttpOptions = { baseUrl: string; tls?: Tls; timeoutMs: number }

function requestOf(call: Call, basePath: string): Dispatcher.DispatchOptions {
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
