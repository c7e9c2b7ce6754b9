import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import type { Party } from '../../domain/providers/provider.ts'
import type { Provider } from '../../providers/port.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** A connection of an account with the provider behind it. */
export type ProviderConnection = { connection: Connection; provider: Provider }

type RegistryDependency = Pick<ActivityDependencies, 'providers'>

/** The same, read first. */
export async function loadProviderConnection(
  dependencies: RegistryDependency,
  em: EntityManager,
  connectionUuid: string,
): Promise<ProviderConnection> {
  return toProviderConnection(dependencies, await runQuery(em, queryConnectionToCall(em, connectionUuid)))
}

/** A connection that was read to be called; adapters are reused across calls. */
export function toProviderConnection(
  { providers }: RegistryDependency,
  connection: Connection | undefined,
): ProviderConnection {
  if (!connection) throw new Error('no connection to call by that id')
  return { connection, provider: providers.providerFor(connection) }
}

/** The account behind a connection as a party of its payments; null where it is shared. */
export function getConnectionParty({ virtualAccount }: Connection): Party | null {
  if (!virtualAccount) return null
  const { type: _, ...party } = virtualAccount
  return party
}
