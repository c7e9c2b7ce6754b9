import { connectionToCall } from '../db/connections.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { ask } from '../db/questions.ts'
import type { Party } from '../domain/provider.ts'
import type { Provider } from '../providers/port.ts'
import type { Dependencies } from './dependencies.ts'

/** A connection of an account with the provider behind it. */
export type Reached = { connection: Connection; provider: Provider }

type Providers = Pick<Dependencies, 'providers'>

/** The same, read first. */
export async function reach(
  dependencies: Providers,
  em: EntityManager,
  connectionUuid: string,
): Promise<Reached> {
  return reached(dependencies, await ask(em, connectionToCall(em, connectionUuid)))
}

/** A connection that was read to be called; adapters are reused across calls. */
export function reached({ providers }: Providers, connection: Connection | undefined): Reached {
  if (!connection) throw new Error('no connection to call by that id')
  return { connection, provider: providers.providerFor(connection) }
}

/** The account behind a connection as a party of its payments; null where it is shared. */
export function partyOf({ virtualAccount }: Connection): Party | null {
  if (!virtualAccount) return null
  const { type: _, ...party } = virtualAccount
  return party
}
