import { WebhookVerificationError } from './errors.ts'
import type { Event } from './openapi/types.ts'
import { loadWebCrypto } from './web-crypto.ts'

/** Verification of webhook deliveries: Standard Webhooks, as Trilho's page of webhooks describes it. */

export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export type VerifyOptions = {
  /** Seconds that the timestamp may be away from the clock, in both directions. Default 300. */
  toleranceS?: number
  /** The clock. */
  now?: Date
}

const TOLERANCE_S = 5 * 60
const SECRET_PREFIX = 'whsec_'

/**
 * Returns the event of a delivery whose signature and timestamp are right; any other is a WebhookVerificationError.
 * The body is the one that arrived, before any parsing. The secret is the `token` of the endpoint. While it is being
 * replaced, a delivery has a signature by each secret, and one that matches is enough.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { toleranceS = TOLERANCE_S, now = new Date() }: VerifyOptions = {},
): Promise<Event> {
  const bytes = readBytes(body)
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number')
  // A tolerance that is no number accepts nothing.
  if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceS))
    throw new WebhookVerificationError('The timestamp is too old or too new')
  const { subtle } = await loadWebCrypto()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', decodeSecret(secret), algorithm, false, ['verify'])
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const signature of signatures) {
    const theirs = signature.startsWith('v1,') ? decodeBase64(signature.slice('v1,'.length)) : undefined
    // Compares in constant time.
    if (theirs && (await subtle.verify('HMAC', key, theirs, signed))) return parseEvent(bytes)
  }
  throw new WebhookVerificationError('No signature matches')
}

function readBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('body must be the text or the bytes that arrived, before any parsing')
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing`)
  return value
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

/** The key of `whsec_…` is its base64; a secret of your own is the key itself. */
function decodeSecret(secret: string) {
  if (secret === '') throw new TypeError('secret must not be empty')
  if (!secret.startsWith(SECRET_PREFIX)) return new TextEncoder().encode(secret)
  const key = decodeBase64(secret.slice(SECRET_PREFIX.length))
  if (!key || key.length === 0) throw new TypeError('secret must be whsec_ and base64')
  return key
}

function decodeBase64(text: string) {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concatenate(first: Uint8Array, second: Uint8Array) {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

function parseEvent(bytes: Uint8Array): Event {
  return JSON.parse(new TextDecoder().decode(bytes))
}
