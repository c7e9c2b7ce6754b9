import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import type { Party } from '../../domain/providers/provider.ts'
import type { Provider } from '../../providers/port.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** A connection of an account with its provider's adapter. */
export type ProviderConnection = { connection: Connection; provider: Provider }

type RegistryDependency = Pick<ActivityDependencies, 'providers'>

/** Reads a connection and returns it with its adapter. */
export async function loadProviderConnection(
  dependencies: RegistryDependency,
  em: EntityManager,
  connectionUuid: string,
): Promise<ProviderConnection> {
  return toProviderConnection(dependencies, await runQuery(em, queryConnectionToCall(em, connectionUuid)))
}

/** Returns a connection with its adapter, which is reused. Throws where the connection does not exist. */
export function toProviderConnection(
  { providers }: RegistryDependency,
  connection: Connection | undefined,
): ProviderConnection {
  if (!connection) throw new Error('the connection does not exist')
  return { connection, provider: providers.providerFor(connection) }
}

/** Returns the account of a connection as a party of its payments; null where the provider account is shared. */
export function getConnectionParty({ virtualAccount }: Connection): Party | null {
  if (!virtualAccount) return null
  const { type: _, ...party } = virtualAccount
  return party
}
