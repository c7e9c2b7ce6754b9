import type { EntityManager } from '../client/orm.ts'
import { Connection } from '../entities/connection.ts'
import { getEntityMapper, queryEntities } from '../pipeline/entity-mapper.ts'
import { firstRow, type Query, query } from '../pipeline/query.ts'

/** How connections are read on the way of every operation; those of requests are to be looked at only, pauses included. */

/** SQL of whether anything can have gone through a connection: of one whose notices were never registered nothing is asked. */
export const IS_CONFIGURED = `status <> 'CONFIGURATION_PENDING'`

/** One of an account's, by its uuid. */
export function queryAccountConnection(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid: string },
): Query<Connection | undefined> {
  return firstRow(
    queryConnections(em, 'connection c where c.uuid = ? and c.account_uuid = ?', [uuid, accountUuid]),
  )
}

/** The public ones that an account has ranked, by priority. */
export function queryRankedConnections(em: EntityManager, accountUuid: string): Query<Connection[]> {
  const ranked = `default_provider d join connection c on c.uuid = d.connection_uuid
    where d.account_uuid = ? and d.payment_type = 'PIX' and c.is_public order by c.is_simulated, d.position`
  return queryConnections(em, ranked, [accountUuid])
}

function queryConnections(em: EntityManager, from: string, values: string[]): Query<Connection[]> {
  const connection = getEntityMapper(em, Connection, 'c', ['isPausedIn', 'isPausedOut'])
  return query(`select ${connection.columns} from ${from}`, values, rows => rows.map(connection.mapRow))
}

/** One to be called, with its sealed credentials and whether its breaker doubts it: known to this unit of work from then on. */
export function queryConnectionToCall(em: EntityManager, uuid: string): Query<Connection | undefined> {
  const lazies: (keyof Connection & string)[] = ['sealedCredentials', 'isDistrusted']
  return firstRow(
    queryEntities(em, Connection, { rest: 'where r.uuid = ?', values: [uuid], lazies, refresh: true }),
  )
}
