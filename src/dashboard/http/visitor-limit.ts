import { evictOldest } from '../../api/authorization/authenticate.ts'
import { fail } from '../../http/api-error.ts'
import { toClientNetwork } from '../authentication/client-network.ts'

/** Points of a network when it is idle, and how many it regains per second: many payers share an address of a carrier. */
const BURST_POINTS = 300
const POINTS_PER_S = 15
/** Most networks remembered by a process. */
const MAX_NETWORKS = 10_000

/** Creates the limit of requests of visitors without a session, per network and process; `now` is a monotonic clock in ms. */
export function createVisitorLimit(now: () => number = () => performance.now()) {
  const levels = new Map<string, { points: number; atMs: number }>()
  return {
    /** Takes points from the visitor's network, or fails with 429 where it has too few. */
    take(address: string, points: number): void {
      const network = toClientNetwork(address)
      const { points: before, atMs } = levels.get(network) ?? { points: BURST_POINTS, atMs: now() }
      const level = Math.min(BURST_POINTS, before + ((now() - atMs) / 1_000) * POINTS_PER_S)
      levels.delete(network) // Keeps the map ordered by time, for eviction.
      levels.set(network, { points: Math.max(0, level - points), atMs: now() })
      evictOldest(levels, MAX_NETWORKS)
      if (level < points) fail('rate_limited', { retryAfterS: Math.ceil((points - level) / POINTS_PER_S) })
    },
  }
}
