import { fail } from '../../http/api-error.ts'
import { toClientNetwork } from '../../security/ip-address.ts'
import { evictOldest } from './authenticate.ts'

/** Points of a network when it is idle, and how many it regains per second: many payers share an address of a carrier. */
const BURST_POINTS = 300
const POINTS_PER_S = 15
/** Points of a request by a secret address, and of one whose token names nothing, which is a guess or a mistake. */
const REQUEST_POINTS = 1
const UNKNOWN_TOKEN_POINTS = 20
/** Most networks remembered by a process. */
const MAX_NETWORKS = 10_000

/**
 * Creates the function that finds what a token in an address names; null where it names nothing. It limits the requests
 * of visitors without a session, per network and process; `now` is a monotonic clock in ms.
 */
export function createTokenLookup(now: () => number = () => performance.now()) {
  const levels = new Map<string, { points: number; atMs: number }>()
  /** Takes points from the visitor's network, or fails with 429 where it has too few. */
  function takePoints(address: string, points: number): void {
    const network = toClientNetwork(address)
    const { points: earlierPoints, atMs } = levels.get(network) ?? { points: BURST_POINTS, atMs: now() }
    const level = Math.min(BURST_POINTS, earlierPoints + ((now() - atMs) / 1_000) * POINTS_PER_S)
    levels.delete(network) // Keeps the map ordered by time, for eviction.
    levels.set(network, { points: Math.max(0, level - points), atMs: now() })
    evictOldest(levels, MAX_NETWORKS)
    if (level < points) fail('rate_limited', { retryAfterS: Math.ceil((points - level) / POINTS_PER_S) })
  }
  return async function findByToken<T>(
    { ip, params }: { ip: string; params: Record<string, string | undefined> },
    find: (token: string) => Promise<T | null>,
    points = REQUEST_POINTS,
  ): Promise<T | null> {
    takePoints(ip, points)
    const result = await find(String(params.token))
    if (!result) takePoints(ip, UNKNOWN_TOKEN_POINTS)
    return result
  }
}
