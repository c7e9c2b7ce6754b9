import { randomUUID } from 'node:crypto'
import { stringify } from 'safe-stable-stringify'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import { fail } from '../../http/api-error.ts'
import { sha256 } from '../../security/sealing.ts'
import type { CallerToken } from '../authorization/authenticate.ts'

/** Idempotency (SPEC §1): the key decides the UUID, the fingerprint decides whether it is the same request. */

/** Response header of a replayed response. */
export const REPLAYED_HEADERS = { 'Idempotent-Replayed': 'true' } as const

/** Matches a valid `Idempotency-Key`: 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,255}$/

type OperationKey = {
  /** Account and mode that own the key: a live request never replays what a test token simulated. */
  owner: Pick<CallerToken, 'accountUuid' | 'mode'>
  method: string
  /** Request path with its ids, in lower case: `/api/v1/payments/<uuid>/refund`. */
  path: string
  key: string | null
}

/** Derives the UUID of the resource that a POST creates: the same one for the same key, a random one without a key. */
export function deriveOperationUuid({ owner, method, path, key }: OperationKey): string {
  if (key === null) return randomUUID()
  const parts = [owner.accountUuid, method.toUpperCase(), path, key]
  return uuidFromHash(sha256(JSON.stringify(owner.mode === 'test' ? [...parts, owner.mode] : parts)))
}

/**
 * Computes the request fingerprint: the first 16 bytes of SHA-256, in base64url, of the parsed body in canonical JSON and of the
 * connection that the token is bound to.
 */
export function fingerprintRequest(request: { body: unknown; connectionUuid: string | null }): string {
  return sha256(stringify(request)).subarray(0, 16).toString('base64url')
}

/** Fails with 422 `idempotency_key_reused` where the key's row was created from another body or token binding. */
export function requireSameRequest(row: { fingerprint: string }, fingerprint: string): void {
  if (row.fingerprint !== fingerprint) fail('idempotency_key_reused', { isFinalForKey: true })
}
