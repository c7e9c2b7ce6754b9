import type { Connection } from '../../db/entities/connection.ts'
import { isConnectFailure } from '../../domain/providers/provider.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Distinguishes a worker whose network reaches no provider from a provider that is down (docs/production.md). */

type ReachDependency = Pick<ActivityDependencies, 'isReachedByOthersOnly'>

/** Returns whether this worker reaches no provider and another worker reaches one of these connections' providers. */
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
 * Throws where a look-up could not connect and another worker reaches its provider: Temporal then repeats the activity
 * on any free worker. Not for an activity that sends money, which Temporal does not repeat.
 */
export async function leaveToReachingWorker(
  dependencies: ReachDependency,
  connection: Pick<Connection, 'baseUrl'>,
  outcome: { kind: string; code?: string; isUnprocessed?: true },
): Promise<void> {
  if (isConnectFailure(outcome) && (await isReachedByOtherWorkersOnly(dependencies, [connection])))
    throw new Error('This worker reaches no provider, and another worker does')
}
