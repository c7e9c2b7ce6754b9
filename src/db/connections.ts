import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'
import { first, type Question, question } from './questions.ts'
import { entities, readingOf } from './reading.ts'

/** How connections are read on the way of every operation; those of requests are to be looked at only, pauses included. */

/** SQL of whether anything can have gone through a connection: of one whose notices were never registered nothing is asked. */
export const BEGUN = `status <> 'CONFIGURATION_PENDING'`

/** One of an account's, by its uuid. */
export function connectionOf(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid: string },
): Question<Connection | undefined> {
  return first(looked(em, 'connection c where c.uuid = ? and c.account_uuid = ?', [uuid, accountUuid]))
}

/** The public ones that an account has ranked, by priority. */
export function rankedConnections(em: EntityManager, accountUuid: string): Question<Connection[]> {
  const ranked = `default_provider d join connection c on c.uuid = d.connection_uuid
    where d.account_uuid = ? and d.payment_type = 'PIX' and c.is_public order by c.is_simulated, d.position`
  return looked(em, ranked, [accountUuid])
}

function looked(em: EntityManager, from: string, values: string[]): Question<Connection[]> {
  const connection = readingOf(em, Connection, 'c', ['isPausedIn', 'isPausedOut'])
  return question(`select ${connection.columns} from ${from}`, values, rows => rows.map(connection.of))
}

/** One to be called, with its sealed credentials and whether its breaker doubts it: known to this unit of work from then on. */
export function connectionToCall(em: EntityManager, uuid: string): Question<Connection | undefined> {
  const lazies: (keyof Connection & string)[] = ['sealedCredentials', 'isDistrusted']
  return first(entities(em, Connection, { rest: 'where r.uuid = ?', values: [uuid], lazies, refresh: true }))
}
