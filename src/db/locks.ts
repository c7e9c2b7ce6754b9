import { type EntityClass, LockMode } from '@mikro-orm/core'
import type { EntityManager } from './client/orm.ts'
import { Connection } from './entities/connection.ts'
import { Movement } from './entities/movement.ts'
import { queryEntities } from './pipeline/entity-mapper.ts'
import { batchQueries, firstRow, type Query, runQuery } from './pipeline/query.ts'

/**
 * A row locked alone. What it refers to is read by a later statement: it is seen as of the moment the lock was given, and
 * a connection or account is not locked with it, which every new row that names one would wait for.
 */
export const ROW_LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

/**
 * A row locked alone by its key, or null where there is none, by a statement written once: every step of money begins
 * with it. `more` is what else is to be known from then on, asked in the message of the lock and answered after it. Its key
 * never changes, so a new row that names it does not wait: whoever inserts one may have the gate that this one waits for.
 */
export async function findLockedRow<T extends { uuid: string }, More>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
  more: Query<More>,
): Promise<[T | null, More]> {
  if (!em.isInTransaction()) throw new Error('a lock outlives nothing but its transaction')
  const isKnown = em.getUnitOfWork().getById(entity, uuid as never) !== undefined
  if (isKnown) await em.flush() // What this unit of work has begun with it is written before it is read anew.
  const rest = 'where r.uuid = ? for no key update'
  const lock = firstRow(queryEntities(em, entity, { rest, values: [uuid], refresh: isKnown }))
  const [row, heard] = await runQuery(em, batchQueries(lock, more))
  return [row ?? null, heard]
}

/** The same of a row that must be there. */
export async function lockRow<T extends { uuid: string }, More>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
  more: Query<More>,
): Promise<[T, More]> {
  const [row, heard] = await findLockedRow(em, entity, uuid, more)
  if (!row) throw new Error(`no ${entity.name} ${uuid}`)
  return [row, heard]
}

/**
 * The gate of money: of what goes through one connection, one transaction at a time moves some. So those that take
 * balances more than once, or disputes and balances, never wait for each other. Taken after the row of the life and
 * before any dispute or balance; rows that name the connection do not wait for it. The connection is known from then on.
 */
export async function lockConnection(em: EntityManager, connectionUuid: string): Promise<void> {
  await runQuery(em, connectionLock(em, [connectionUuid]))
}

/** The same, to be asked beside others; `key` is what its key is found by, of these values. */
export function connectionLock(em: EntityManager, values: string[], key = '?'): Query<Connection[]> {
  const rest = `where r.uuid = ${key} for no key update`
  return queryEntities(em, Connection, { rest, values, refresh: true })
}

/** Batched with the row lock of a charge or transfer: locks its connection row (balances) and loads its movement. */
export function lockMoneyFor(em: EntityManager, table: 'charge' | 'transfer', uuid: string) {
  const named = (column: string) => `(select ${column} from ${table} where uuid = ?)`
  const movement = { rest: `where r.uuid = ${named('movement_uuid')}`, values: [uuid] }
  return batchQueries(
    connectionLock(em, [uuid], named('connection_uuid')),
    queryEntities(em, Movement, movement),
  )
}
