import { Client, type Dispatcher } from 'undici'
import { createHostResolver, type HostResolver } from '../net/name-resolver.ts'
import type { AddressPolicy } from '../webhook-client/address-policy.ts'
import { rejectOnAbort } from '../webhook-client/client.ts'
import { createGuardedConnector, RefusedAddressError } from '../webhook-client/guarded-connector.ts'

/**
 * What the location of a code answers. `refused_address`: its host has an address that no code may reach; nothing was sent.
 * `no_answer`: no connection, no answer in time, or one that broke off.
 */
type LocationAnswer =
  | { kind: 'answered'; status: number; body: string }
  | { kind: 'too_large' }
  | { kind: 'refused_address' }
  | { kind: 'no_answer' }

/** Requests a location by GET: https, allowed addresses only, no redirect, at most 32 kB. Never rejects. */
export type LocationClient = (url: URL, signal: AbortSignal) => Promise<LocationAnswer>

export type LocationClientOptions = {
  policy: AddressPolicy
  /** PEM certificates trusted in addition to the public authorities. */
  ca?: string[]
  resolve?: HostResolver
}

/** Time for TCP and TLS together. */
const CONNECT_TIMEOUT_MS = 4_000
/** Largest answer: a document with its signature and certificates has a few kB. */
const MAX_ANSWER_BYTES = 32 * 1_024

/** Creates the client of locations. Each request has a connection of its own, so that each address is checked. */
export function createLocationClient({
  policy,
  ca,
  resolve = createHostResolver(),
}: LocationClientOptions): LocationClient {
  const connect = createGuardedConnector({ policy, resolve, ca, timeoutMs: CONNECT_TIMEOUT_MS })
  return async (url, signal) => {
    const connection = new Client(url.origin, { connect, allowH2: false })
    try {
      const request = connection.request({
        path: url.pathname + url.search,
        method: 'GET',
        headers: { accept: 'application/jose, application/json', 'user-agent': 'Trilho/1' },
        signal,
        highWaterMark: MAX_ANSWER_BYTES,
      })
      return await rejectOnAbort(request.then(readAnswer), signal)
    } catch (error) {
      return { kind: error instanceof RefusedAddressError ? 'refused_address' : 'no_answer' }
    } finally {
      // Also ends a request that was given up. Nothing waits for it.
      connection.destroy().catch(() => {})
    }
  }
}

/** Reads an answer up to its limit. Never decompresses: no encoding was requested, and a small body can expand enormously. */
async function readAnswer({
  statusCode: status,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<LocationAnswer> {
  body.on('error', () => {}) // Dropping the rest raises a stream error that does not matter here.
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_ANSWER_BYTES) {
      body.destroy()
      return { kind: 'too_large' }
    }
    parts.push(part)
  }
  return { kind: 'answered', status, body: isPlain ? Buffer.concat(parts).toString('utf8') : '' }
}
