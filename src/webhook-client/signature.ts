import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const SECRET_PREFIX = 'whsec_'

/** The three headers of Standard Webhooks for one attempt. */
export type SignatureHeaders = {
  'webhook-id': string
  /** Unix seconds of this attempt. */
  'webhook-timestamp': string
  /** One `v1,…` per secret, separated by spaces: the current one and, after a rotation, the previous one. */
  'webhook-signature': string
}

/** Signs `id.timestamp.body` with each secret (HMAC-SHA256). Every secret must be usable. */
export function buildSignatureHeaders({
  id,
  at,
  body,
  secrets,
}: {
  id: string
  at: Date
  body: string
  secrets: string[]
}): SignatureHeaders {
  if (secrets.length === 0) throw new Error('A webhook without a secret cannot be signed')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets
      .map(secret => new Webhook(requireSigningKey(secret), { format: 'raw' }).sign(id, at, body))
      .join(' '),
  }
}

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/** The least bytes of a signing secret, 192 bits: the lower limit of Standard Webhooks. */
const MIN_SIGNING_SECRET_BYTES = 24

/** Returns whether a secret can sign: it has enough bytes and, after `whsec_`, is canonical base64. */
export function isUsableSigningSecret(text: string): boolean {
  const key = decodeSigningSecret(text)
  return key !== null && key.length >= MIN_SIGNING_SECRET_BYTES
}

/** Masks a secret for lists: shows the last four characters, or none of a short secret. */
export function maskSigningSecret(text: string): string {
  const prefix = text.startsWith(SECRET_PREFIX) ? SECRET_PREFIX : ''
  const secret = text.slice(prefix.length)
  return `${prefix}****${secret.length >= 16 ? secret.slice(-4) : ''}`
}

function requireSigningKey(secret: string): Uint8Array {
  const key = decodeSigningSecret(secret)
  if (key === null) throw new Error('The signing secret is not valid')
  return key
}

/** Decodes a secret to the key that signs; null where the text after `whsec_` is not canonical base64, or where it is empty. */
function decodeSigningSecret(secret: string): Uint8Array | null {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : undefined
  const key = Buffer.from(encoded ?? secret, encoded === undefined ? 'utf8' : 'base64')
  // Node decodes base64 leniently, receivers' libraries do not: only the canonical spelling is accepted.
  const isCanonical = encoded === undefined || key.toString('base64') === encoded
  return isCanonical && key.length > 0 ? key : null
}
