import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { isConnectFailure } from '../../domain/providers/provider.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Distinguishes a worker whose network does not reach a provider from a provider that is down (docs/production.md). */

type ReachDependency = Pick<ActivityDependencies, 'isReachedByOthersOnly'>

/** Returns whether another worker reaches one of these connections' providers and this one does not. */
export async function isReachedByOtherWorkersOnly(
  { isReachedByOthersOnly }: ReachDependency,
  connections: Pick<Connection, 'baseUrl'>[],
): Promise<boolean> {
  if (!isReachedByOthersOnly) return false
  for (const baseUrl of new Set(connections.map(connection => connection.baseUrl)))
    if (await isReachedByOthersOnly(baseUrl)) return true
  return false
}

/**
 * Records the outcome of a call in the connection's circuit breaker. Throws where the call could not connect and another
 * worker reaches its provider: Temporal then repeats the activity on any free worker. Only for activities that may be
 * repeated: those that send money may not.
 */
export async function recordRepeatableCall(
  dependencies: ReachDependency,
  em: EntityManager,
  connection: Pick<Connection, 'uuid' | 'isDistrusted' | 'baseUrl'>,
  outcome: { kind: string; code?: string; isUnprocessed?: true },
): Promise<void> {
  await recordCircuitResult(em, connection, outcome)
  if (isConnectFailure(outcome) && (await isReachedByOtherWorkersOnly(dependencies, [connection])))
    throw new UnreachedProviderError()
}

/** Fails an activity that another worker can do: Temporal repeats it there. */
export class UnreachedProviderError extends Error {
  constructor() {
    super('This worker does not reach the provider, and another worker does')
  }
}
