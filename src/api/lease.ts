import { DRY_MS, LEASE_MS } from './limits.ts'

/** The arithmetic of the limit per token (SPEC §1): every process holds a share of the token's bucket for a while. */

export type RatePolicy = { perSecond: number; burst: number }

/** A share of a token's bucket in one process; requests counted here need no round trip. */
export type Lease = {
  /** Requests that it still covers. */
  left: number
  /** What the bucket held when this share was cut from it. */
  bucketLeft: number
  endsAtMs: number
  /** The bucket had nothing to give: until the end nobody asks again. */
  isDry: boolean
}

/** How many requests a process asks for at once: few round trips, yet no process starves the others. */
export function shareOf({ burst }: RatePolicy): number {
  return Math.max(1, Math.ceil(burst / 8))
}

export function openedLease(granted: number, bucketLeft: number, nowMs: number): Lease {
  const isDry = granted === 0
  return { left: granted, bucketLeft, isDry, endsAtMs: nowMs + (isDry ? DRY_MS : LEASE_MS) }
}

/** One request out of a share: covered, refused, or to be asked for anew. */
export function takeFrom(
  lease: Lease | undefined,
  nowMs: number,
): { kind: 'taken'; lease: Lease } | { kind: 'refused'; lease: Lease } | { kind: 'ask' } {
  if (!lease || nowMs >= lease.endsAtMs) return { kind: 'ask' }
  if (lease.left >= 1) return { kind: 'taken', lease: { ...lease, left: lease.left - 1 } }
  return lease.isDry ? { kind: 'refused', lease } : { kind: 'ask' }
}

/** Whole seconds until the bucket covers one more request. */
export function retryAfterS({ bucketLeft }: Lease, { perSecond }: RatePolicy): number {
  return Math.max(1, Math.ceil((1 - bucketLeft) / perSecond))
}

/**
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): the quota is the burst, its window the
 * time in which an empty bucket fills. What other processes hold of the bucket is not counted.
 */
export function rateHeaders(lease: Lease, { perSecond, burst }: RatePolicy): Record<string, string> {
  const remaining = Math.floor(lease.left + lease.bucketLeft)
  const fullInS = Math.max(0, Math.ceil((burst - remaining) / perSecond))
  return {
    'RateLimit-Policy': `"token";q=${Math.floor(burst)};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    RateLimit: `"token";r=${remaining};t=${fullInS}`,
  }
}
