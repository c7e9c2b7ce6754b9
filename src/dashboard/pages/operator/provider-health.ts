import type { EntityManager } from '../../../db/client/orm.ts'
import {
  type CallCounts,
  countProviderConnections,
  countRecentCalls,
  HEALTH_PERIODS_MIN,
  type ProviderConnections,
  type ProviderOfMode,
} from '../../../db/repositories/provider-health.ts'
import type { AttemptOperation } from '../../../domain/providers/attempt.ts'

/** How each provider answers now, as the operators' first page shows it, and which of them give no useful answer. */

/** Calls without a useful answer from which on a provider is failing, as of its circuit breaker. */
const FAILURES_TO_SIGNAL = 5

/** The calls of a provider within one period. */
type HealthPeriod = {
  minutes: number
  calls: number
  /** Share of the calls that brought a useful answer: an acceptance, or a documented refusal; null without a call. */
  usefulShare: number | null
  refused: number
  serverErrors: number
  timeouts: number
  otherFailures: number
  issuingMs: number | null
  settlingMs: number | null
}

/** One provider of one mode: its connections, and its calls within each period. */
type ProviderHealth = ProviderConnections & { periods: HealthPeriod[] }

/** Orders of one kind that a provider has given no useful answer to lately. */
export type FailingProvider = ProviderOfMode & {
  operation: AttemptOperation
  failed: number
  calls: number
  since: string
  /** The connection of all failed calls; null where there are several. */
  connection: string | null
}

/** Reads how the providers answer, and finds those that are failing. */
export async function readProviderHealth(
  em: EntityManager,
): Promise<{ health: ProviderHealth[]; failing: FailingProvider[] }> {
  const [counts, connections] = await Promise.all([
    countRecentCalls(em.fork()),
    countProviderConnections(em.fork()),
  ])
  return { health: buildProviderHealth(counts, connections), failing: findFailingProviders(counts) }
}

/** Adds up the calls of every kind, for each provider that has an active connection or was called. */
export function buildProviderHealth(
  counts: CallCounts[],
  connections: ProviderConnections[],
): ProviderHealth[] {
  const isActive = new Set(connections.map(keyOf))
  const withdrawn = counts
    .filter(one => !isActive.has(keyOf(one)))
    .map(({ provider, isSimulated }) => ({ provider, isSimulated, ...NO_CONNECTIONS }))
  const shown = new Map([...connections, ...withdrawn].map(one => [keyOf(one), one]))
  return [...shown].map(([key, one]) => ({
    ...one,
    periods: HEALTH_PERIODS_MIN.map(minutes =>
      addUpPeriod(
        minutes,
        counts.filter(count => keyOf(count) === key && count.minutes === minutes),
      ),
    ),
  }))
}

const NO_CONNECTIONS = { connections: 0, openCircuits: 0, pausedIn: 0, pausedOut: 0 }

function keyOf({ provider, isSimulated }: ProviderOfMode): string {
  return `${provider} ${isSimulated}`
}

function addUpPeriod(minutes: number, counts: CallCounts[]): HealthPeriod {
  const sum = (numberOf: (count: CallCounts) => number) =>
    counts.reduce((total, count) => total + numberOf(count), 0)
  const medianOf = (operation: AttemptOperation) =>
    counts.find(count => count.operation === operation)?.medianMs ?? null
  const calls = sum(countCalls)
  return {
    minutes,
    calls,
    usefulShare: calls === 0 ? null : sum(countUseful) / calls,
    refused: sum(count => count.refused),
    serverErrors: sum(count => count.serverErrors),
    timeouts: sum(count => count.timeouts),
    otherFailures: sum(count => count.otherFailures),
    issuingMs: medianOf('issue'),
    settlingMs: medianOf('transfer'),
  }
}

function countUseful({ accepted, refused }: CallCounts): number {
  return accepted + refused
}

function countFailed({ serverErrors, timeouts, otherFailures }: CallCounts): number {
  return serverErrors + timeouts + otherFailures
}

function countCalls(count: CallCounts): number {
  return countUseful(count) + countFailed(count)
}

/**
 * Finds the kinds of orders that a provider gives no useful answer to: the latest ones in a row, or at least half of those of the
 * shortest period. A failure of a single order is none of the provider's.
 */
export function findFailingProviders(counts: CallCounts[]): FailingProvider[] {
  const [shortest, longest] = [HEALTH_PERIODS_MIN[0], HEALTH_PERIODS_MIN.at(-1)]
  return counts
    .filter(({ minutes }) => minutes === shortest)
    .flatMap(latest => {
      const { provider, isSimulated, operation } = latest
      const hour = counts.find(
        one => keyOf(one) === keyOf(latest) && one.operation === operation && one.minutes === longest,
      )!
      const named = { provider, isSimulated, operation }
      if (countUseful(latest) === 0 && hour.failingSince !== null && hour.failedInARow >= FAILURES_TO_SIGNAL)
        return [
          {
            ...named,
            failed: hour.failedInARow,
            calls: hour.failedInARow,
            since: hour.failingSince,
            connection: findOnlyConnection(hour),
          },
        ]
      const failed = countFailed(latest)
      if (failed < FAILURES_TO_SIGNAL || failed < countUseful(latest)) return []
      const calls = countCalls(latest)
      return [{ ...named, failed, calls, since: latest.firstAt, connection: findOnlyConnection(latest) }]
    })
}

function findOnlyConnection({ failedConnections }: CallCounts): string | null {
  return failedConnections.length === 1 ? failedConnections[0]! : null
}
