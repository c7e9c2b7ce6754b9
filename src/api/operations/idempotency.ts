import { randomUUID } from 'node:crypto'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import { sha256 } from '../../security/sealing.ts'
import { fail } from '../http/api-error.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** SPEC §1, idempotency: the key decides the uuid, the fingerprint decides whether it is the same request. */

/** The header of an answer that was given before. */
export const REPLAYED_HEADERS = { 'Idempotent-Replayed': 'true' } as const

/** What an `Idempotency-Key` may be. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,255}$/

export type OperationKey = {
  /** Whose key it is: what a test token has simulated is never the answer to a live one. */
  owner: Pick<CallerToken, 'accountUuid' | 'mode'>
  method: string
  /** With its ids, in lower case: `/api/v1/payments/<uuid>/refund`. */
  path: string
  key: string | null
}

/** The uuid of what a POST makes: always the same one for the same key, a random one without. */
export function deriveOperationUuid({ owner: by, method, path, key }: OperationKey): string {
  if (key === null) return randomUUID()
  const parts = [by.accountUuid, method.toUpperCase(), path, key]
  return uuidFromHash(sha256(JSON.stringify(by.mode === 'test' ? [...parts, by.mode] : parts)))
}

/** SHA-256, in hex, of a parsed body in its one canonical spelling, and of the provider its token is bound to. */
export function fingerprintRequest({
  body,
  connectionUuid,
}: {
  body: unknown
  connectionUuid: string | null
}): string {
  return sha256(toCanonicalJson({ body, connectionUuid })).toString('hex')
}

/** Whether a row that a key led to is this request's: 422 where it was made from another body or binding. */
export function requireSameRequest(row: { fingerprint: string }, fingerprint: string): void {
  if (row.fingerprint !== fingerprint) fail('idempotency_key_reused', { isFinalForKey: true })
}

/** JSON with its keys in order and without what is undefined. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isPlainObject(inner) ? sortKeys(inner) : inner))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
