import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Orm } from '../db/client/orm.ts'
import {
  deleteProviderProbes,
  findProviderOrigins,
  isOtherWorkerWithoutProvider,
  isReachedByOtherWorker,
  recordProviderProbes,
} from '../db/repositories/provider-reach.ts'

/** Interval of probes while a provider is reached, and while none is, here or by another worker. */
const PROBE_INTERVAL_MS = 5_000
const FAILING_PROBE_INTERVAL_MS = 1_000
/** Shortest pause between rounds, however many calls fail to connect. */
const MIN_PROBE_INTERVAL_MS = 250
/** Rounds in a row that reach no provider, after which this worker's network counts as broken. */
const MAX_FAILED_ROUNDS = 3
/** Age up to which another worker's probe proves that a provider can be reached: a few of its intervals. */
const OTHER_PROBE_MAX_AGE_MS = 30_000
/**
 * The same where this worker reaches other providers, so that the provider itself may have failed just now: each worker
 * probes within this time.
 */
const OTHER_LATEST_PROBE_MAX_AGE_MS = PROBE_INTERVAL_MS + 2_000
/** Interval of warnings of a worker that waits. */
const WARNING_INTERVAL_MS = 30_000

export type ProviderWatch = {
  /** Resolves once this worker reaches a provider, or no other worker reaches one either. */
  waitUntilReachable(): Promise<void>
  /**
   * Probes until this worker has reached no provider three times in a row while another worker reached one: resolves
   * with true. Resolves with false when the watch is closed first.
   */
  watch(): Promise<boolean>
  /**
   * Returns whether this worker does not reach the provider at `baseUrl` now and another worker does: a request to it that
   * could not connect can be made by another worker.
   */
  isReachedByOthersOnly(baseUrl: string): Promise<boolean>
  close(): Promise<void>
}

export type ProviderWatchOptions = {
  orm: Orm
  /** Name of this worker in its probes. */
  worker: string
  /** Returns whether the server of an origin can be reached from this process. */
  canConnect: (origin: string) => Promise<boolean>
  log: Logger
  /** Interval of probes while a provider is reached, and no other worker reaches none. */
  probeIntervalMs?: number
}

/** Rounds in a row that reached no provider. `sinceMs`: end of the first one, on the clock of `performance.now()`. */
type FailedRounds = { count: number; origins: string[]; sinceMs: number }

/**
 * Watches whether this worker can connect to the providers of active connections, and records it for other workers. A
 * worker whose network reaches no provider (name server, route, firewall, certificate authorities) must not poll:
 * Temporal would keep giving it tasks that only other workers can do (docs/production.md). Where no worker reaches a
 * provider, the provider is down and no worker ends.
 */
export function createProviderWatch({
  orm,
  worker,
  canConnect,
  log,
  probeIntervalMs = PROBE_INTERVAL_MS,
}: ProviderWatchOptions): ProviderWatch {
  const closing = new AbortController()
  let failed: FailedRounds | null = null
  /** Origins that the last round did not reach. */
  let unreached = new Set<string>()
  let probedAtMs = Number.NEGATIVE_INFINITY
  let currentRound: Promise<boolean> = Promise.resolve(true)
  let nextRound: Promise<boolean> | undefined
  let watchRun: Promise<boolean> = Promise.resolve(false)

  /**
   * Probes all providers in a round that starts after this call; calls at the same time share it. Returns whether one
   * was reached, or there is none. A failed round is not repeated within a second.
   */
  function probe(): Promise<boolean> {
    if (failed !== null && performance.now() - probedAtMs < FAILING_PROBE_INTERVAL_MS)
      return Promise.resolve(false)
    nextRound ??= startNextRound()
    return nextRound
  }

  async function startNextRound(): Promise<boolean> {
    await currentRound.catch(() => {})
    const waitMs = probedAtMs + MIN_PROBE_INTERVAL_MS - performance.now()
    if (waitMs > 0) await pause(waitMs)
    nextRound = undefined
    currentRound = probeAll()
    return currentRound
  }

  async function probeAll(): Promise<boolean> {
    const em = orm.em.fork()
    const origins = await findProviderOrigins(em)
    const probes = await Promise.all(
      origins.map(async origin => ({ origin, isReached: await canConnect(origin) })),
    )
    const reached = probes.filter(({ isReached }) => isReached).map(({ origin }) => origin)
    unreached = new Set(origins.filter(origin => !reached.includes(origin)))
    if (origins.length === 0 || reached.length > 0) failed = null
    else failed = { count: (failed?.count ?? 0) + 1, origins, sinceMs: failed?.sinceMs ?? performance.now() }
    probedAtMs = performance.now()
    await recordProviderProbes(em, { worker, origins, reached })
    return failed === null
  }

  const isReachedByOther = (origins: string[], withinMs: number) =>
    isReachedByOtherWorker(orm.em.fork(), { worker, origins, withinMs })

  /** Only a connection of another worker after the first failure proves that this worker is at fault, not the providers. */
  async function isLost(): Promise<boolean> {
    if (failed === null || failed.count < MAX_FAILED_ROUNDS) return false
    return isReachedByOther(failed.origins, performance.now() - failed.sinceMs)
  }

  /** A worker that reaches no provider waits for the next probes of the others, which say whether it is at fault. */
  async function isProbeDue(): Promise<boolean> {
    const withinMs = performance.now() - probedAtMs
    if (failed !== null || withinMs >= probeIntervalMs) return true
    return isOtherWorkerWithoutProvider(orm.em.fork(), { worker, withinMs })
  }

  async function watchUntilLost(): Promise<boolean> {
    while (!closing.signal.aborted) {
      try {
        if (await isProbeDue()) await probe()
        if (await isLost()) return true
      } catch (error) {
        log.debug({ code: Object(error).code }, 'the probes of providers cannot be recorded')
      }
      await pause(FAILING_PROBE_INTERVAL_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
    return false
  }

  return {
    async waitUntilReachable() {
      let warnedAtMs = Number.NEGATIVE_INFINITY
      while (!(await probe()) && failed && (await isReachedByOther(failed.origins, OTHER_PROBE_MAX_AGE_MS))) {
        if (performance.now() - warnedAtMs >= WARNING_INTERVAL_MS) {
          log.warn('this worker reaches no provider, and another worker does; it waits and polls nothing')
          warnedAtMs = performance.now()
        }
        await pause(FAILING_PROBE_INTERVAL_MS)
      }
      failed = null
    },
    watch() {
      watchRun = watchUntilLost()
      return watchRun
    },
    async isReachedByOthersOnly(baseUrl) {
      const { origin } = new URL(baseUrl)
      if (!(await isReachedByOther([origin], OTHER_PROBE_MAX_AGE_MS))) return false
      const isFresh = performance.now() - probedAtMs < FAILING_PROBE_INTERVAL_MS
      if (!isFresh || !unreached.has(origin)) await probe()
      if (!unreached.has(origin)) return false
      return failed !== null || isReachedByOther([origin], OTHER_LATEST_PROBE_MAX_AGE_MS)
    },
    async close() {
      closing.abort()
      await watchRun
      await deleteProviderProbes(orm.em.fork(), worker).catch(() => {})
    },
  }
}
