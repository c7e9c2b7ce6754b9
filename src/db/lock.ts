import { LockMode } from '@mikro-orm/core'
import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'
import { type Row, readingOf } from './reading.ts'

/**
 * A row locked alone. What it refers to is read by a later statement: it is seen as of the moment the lock was given, and
 * a connection or account is not locked with it, which every new row that names one would wait for.
 */
export const ALONE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

/**
 * The gate of money: of what goes through one connection, one transaction at a time moves some. So those that take
 * balances more than once, or disputes and balances, never wait for each other. Taken after the row of the life and
 * before any dispute or balance; rows that name the connection do not wait for it. The connection is known from then on.
 */
export async function lockGate(em: EntityManager, connectionUuid: string): Promise<void> {
  const connection = readingOf(em, Connection, 'c')
  const [row] = await em.execute<Row[]>(
    `select ${connection.columns} from connection c where c.uuid = ? for no key update`,
    [connectionUuid],
  )
  em.merge(Connection, connection.of(row!), { refresh: true })
}
