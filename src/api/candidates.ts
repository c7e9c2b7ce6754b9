import { connectionOf, rankedConnections } from '../db/connections.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { ask, heardAs, type Question } from '../db/questions.ts'
import { uuid } from '../wire/common.ts'
import type { Token } from './auth.ts'
import type { FieldErrors } from './check.ts'
import { named, refuseField } from './errors.ts'

type Wanted = { token: Token; providerUuid?: string | undefined }

/** SPEC §6, "Candidates": the connections that may carry a new operation, in the order of trying. */
export function candidatesFor(em: EntityManager, wanted: Wanted): Promise<Connection[]> {
  return ask(em, candidates(em, wanted))
}

/** The same, to be asked beside others; hearing the answer refuses where there is none. */
export function candidates(em: EntityManager, { token, providerUuid }: Wanted): Question<Connection[]> {
  const { accountUuid, connectionUuid } = token
  if (connectionUuid !== null)
    return heardAs(connectionOf(em, { accountUuid, uuid: connectionUuid }), bound => theBound(bound, token))
  if (providerUuid !== undefined)
    return heardAs(connectionOf(em, { accountUuid, uuid: providerUuid }), named => theNamed(named, token))
  // Which of them is trusted least just now is asked by whoever begins something at once (src/db/breaker.ts).
  return heardAs(rankedConnections(em, accountUuid), ranked => theRanked(ranked, token))
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
  const found = await named(errors, candidatesFor(em, { token, providerUuid: data }))
  return found ? unable(found) : errors
}

const providerNamed = uuid.optional()

/** The token's provider wins over any that is named. */
function theBound(connection: Connection | undefined, token: Token): Connection[] {
  if (!connection || !serves(connection, token)) unfit('the provider of this token is not active')
  return [connection]
}

function theNamed(connection: Connection | undefined, token: Token): Connection[] {
  if (!connection?.isPublic || !serves(connection, token)) unfit('must be an active provider of the account')
  return [connection]
}

function theRanked(ranked: Connection[], token: Token): Connection[] {
  const usable = onePerProviderAccount(ranked.filter(connection => serves(connection, token)))
  if (usable.length === 0) unfit('no active default provider; name one, or set the defaults')
  return usable
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
