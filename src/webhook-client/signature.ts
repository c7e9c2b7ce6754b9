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
      .map(secret => new Webhook(decodeSigningSecret(secret), { format: 'raw' }).sign(id, at, body))
      .join(' '),
  }
}

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/** Returns whether a secret can sign: it is not empty and, after `whsec_`, canonical base64. */
export function isUsableSigningSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX)) return text !== ''
  const encoded = text.slice(SECRET_PREFIX.length)
  // Node decodes base64 leniently, receivers' libraries do not: only the canonical spelling is accepted.
  return encoded !== '' && Buffer.from(encoded, 'base64').toString('base64') === encoded
}

/** Masks a secret for lists: shows the last four characters, or none of a short secret. */
export function maskSigningSecret(text: string): string {
  const prefix = text.startsWith(SECRET_PREFIX) ? SECRET_PREFIX : ''
  const secret = text.slice(prefix.length)
  return `${prefix}****${secret.length >= 16 ? secret.slice(-4) : ''}`
}

function decodeSigningSecret(secret: string): Uint8Array {
  if (!isUsableSigningSecret(secret)) throw new Error('The signing secret is not valid')
  return secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')
}
