import { connectionToCall } from '../db/connections.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import type { Party } from '../domain/provider.ts'
import type { Provider } from '../providers/port.ts'
import type { Dependencies } from './dependencies.ts'

/** A connection of an account with the provider behind it. */
export type Reached = { connection: Connection; provider: Provider }

/** Opens a connection's credentials and gives its provider; adapters are reused across calls. */
export async function reach(
  { sealer, providers }: Pick<Dependencies, 'sealer' | 'providers'>,
  em: EntityManager,
  connectionUuid: string,
): Promise<Reached> {
  const connection = await connectionToCall(em, connectionUuid)
  if (!connection) throw new Error(`no connection ${connectionUuid}`)
  const provider = providers.providerFor({
    uuid: connection.uuid,
    dialect: connection.dialect,
    baseUrl: connection.baseUrl,
    credentials: sealer.open(connection.sealedCredentials),
    provider: connection.provider,
  })
  return { connection, provider }
}

/** The account behind a connection as a party of its payments; null where it is shared. */
export function partyOf({ virtualAccount }: Connection): Party | null {
  if (!virtualAccount) return null
  const { type: _, ...party } = virtualAccount
  return party
}
