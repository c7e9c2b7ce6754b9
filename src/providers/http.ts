import type { Reply } from './exchange.ts'
import { type Lines, type OpenLines, openLines, type Tls } from './lines.ts'

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
  /** A `fresh` call follows at once: its connection is opened meanwhile. */
  openAhead(): void
  /** Lets running calls finish. */
  close(): Promise<void>
}

export type HttpOptions = { baseUrl: string; tls?: Tls; timeoutMs: number; lines?: OpenLines | undefined }

/** HTTP towards one provider, over lines that may be shared. A bad certificate or key throws here, not in a call. */
export function httpClient({ baseUrl, tls, timeoutMs, lines: open = openLines }: HttpOptions): HttpClient {
  const { origin, pathname } = new URL(baseUrl)
  const basePath = pathname.replace(/\/$/, '')
  const lines = open({ origin, tls, timeoutMs })
  return {
    call(call) {
      const request = requestOf(call, basePath)
      return call.fresh ? lines.own(request) : lines.kept(request)
    },
    openAhead: () => lines.openAhead(),
    close: () => lines.close(),
  }
}

function requestOf(call: Call, basePath: string): Parameters<Lines['kept']>[0] {
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
