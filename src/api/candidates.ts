import { connectionOf, rankedConnections } from '../db/connections.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { uuid } from '../wire/common.ts'
import type { Token } from './auth.ts'
import type { FieldErrors } from './check.ts'
import { named, refuseField } from './errors.ts'

/** SPEC §6, "Candidates": the connections that may carry a new operation, in the order of trying. */
export async function candidatesFor(
  em: EntityManager,
  { token, providerUuid }: { token: Token; providerUuid?: string | undefined },
): Promise<Connection[]> {
  if (token.connectionUuid !== null) return [await boundConnection(em, token, token.connectionUuid)]
  if (providerUuid !== undefined) return [await namedConnection(em, token, providerUuid)]
  // Which of them is trusted least just now is asked by whoever begins something at once (src/db/breaker.ts).
  const ranked = await rankedConnections(em, token.accountUuid)
  const usable = ranked.filter(connection => serves(connection, token))
  const candidates = onePerProviderAccount(usable)
  if (candidates.length === 0) unfit('no active default provider; name one, or set the defaults')
  return candidates
}

export type Refused = { em: EntityManager; token: Token; body: unknown }

/**
 * What is wrong with the provider that a body names, where its schema has refused it already: all is said at once.
 * `unable` judges candidates that may be named.
 */
export async function wrongProvider(
  { em, token, body }: Refused,
  unable: (candidates: Connection[]) => FieldErrors,
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const { success, data } = providerNamed.safeParse(Object(body).provider_uuid)
  if (!success) return errors
  const candidates = await named(errors, candidatesFor(em, { token, providerUuid: data }))
  return candidates ? unable(candidates) : errors
}

const providerNamed = uuid.optional()

/** The token's provider wins over any that is named. */
async function boundConnection(em: EntityManager, token: Token, uuid: string): Promise<Connection> {
  const connection = await connectionOf(em, { accountUuid: token.accountUuid, uuid })
  if (!connection || !serves(connection, token)) unfit('the provider of this token is not active')
  return connection
}

async function namedConnection(em: EntityManager, token: Token, uuid: string): Promise<Connection> {
  const connection = await connectionOf(em, { accountUuid: token.accountUuid, uuid })
  if (!connection?.isPublic || !serves(connection, token)) unfit('must be an active provider of the account')
  return connection
}

/** Only ACTIVE starts anything; test tokens reach simulators only, live ones never. */
function serves(connection: Connection, token: Token): boolean {
  return connection.status === 'ACTIVE' && connection.isSimulated === (token.mode === 'test')
}

/** An orphan and the charge that was accepted must never share a reference at one provider account. */
function onePerProviderAccount(connections: Connection[]): Connection[] {
  const first = new Map<string, Connection>()
  for (const connection of connections) {
    if (!first.has(connection.providerAccountUuid)) first.set(connection.providerAccountUuid, connection)
  }
  return [...first.values()]
}

function unfit(message: string): never {
  refuseField('provider_uuid', message)
}
