import { type EntityClass, LockMode } from '@mikro-orm/core'
import type { EntityManager } from './client/orm.ts'
import { Connection } from './entities/connection.ts'
import { Movement } from './entities/movement.ts'
import { queryEntities } from './pipeline/entity-mapper.ts'
import { batchQueries, firstRow, type Query, runQuery, sendChanges } from './pipeline/query.ts'

/**
 * Locks the row of the queried entity only. Its relations are read by a later statement, as of the moment the lock
 * was granted, and no connection or account is locked with it: inserts of rows that refer to one would wait.
 */
export const ROW_LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

/**
 * Locks one row by its key; null if there is none. The transactions of a charge, payout or dispute begin with it, by a prepared statement.
 * `more` runs in the same round trip, after the lock is granted. `FOR NO KEY UPDATE`: keys never change, so inserts that
 * refer to the row do not wait; their transaction may hold the connection lock that this one waits for.
 */
export async function findLockedRow<T extends { uuid: string }, More>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
  more: Query<More>,
): Promise<[T | null, More]> {
  if (!em.isInTransaction()) throw new Error('a row lock needs a transaction')
  const isLoaded = em.getUnitOfWork().getById(entity, uuid as never) !== undefined
  if (isLoaded) await sendChanges(em) // Pending changes of the unit of work are written before the row is read again.
  const rest = 'where r.uuid = ? for no key update'
  const lock = firstRow(queryEntities(em, entity, { rest, values: [uuid], refresh: isLoaded }))
  const [row, result] = await runQuery(em, batchQueries(lock, more))
  return [row ?? null, result]
}

/** Locks a row by its key; throws if it does not exist. See `findLockedRow`. */
export async function lockRow<T extends { uuid: string }, More>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
  more: Query<More>,
): Promise<[T, More]> {
  const [row, result] = await findLockedRow(em, entity, uuid, more)
  if (!row) throw new Error(`no ${entity.name} ${uuid}`)
  return [row, result]
}

/**
 * Locks a connection's row, so that one transaction at a time moves money through it, and refreshes it in the unit of
 * work. Lock order: the row of the charge, transfer or refund, then the connection, then a movement, then disputes, then
 * balances. A split also locks disputes and balances of accounts whose connection is not locked, so every transaction
 * keeps the last two in order (`lockDisputes`). Inserts that refer to the connection do not wait
 * (`FOR NO KEY UPDATE`).
 */
export async function lockConnection(em: EntityManager, connectionUuid: string): Promise<void> {
  await runQuery(em, connectionLock(em, [connectionUuid]))
}

/** Builds the query of `lockConnection` for a batch; `key` is the SQL of the connection's key over `values`. */
export function connectionLock(em: EntityManager, values: string[], key = '?'): Query<Connection[]> {
  const rest = `where r.uuid = ${key} for no key update`
  return queryEntities(em, Connection, { rest, values, refresh: true })
}

/** Batched with the row lock of a charge or transfer: locks its connection row (balances) and loads its movement. */
export function lockMoneyFor(em: EntityManager, table: 'charge' | 'transfer', uuid: string) {
  const connection = connectionLock(em, [uuid], `(select connection_uuid from ${table} where uuid = ?)`)
  return batchQueries(connection, queryMovementOf(em, table, uuid))
}

/**
 * Locks the connection of a movement, then the movement's row, for a PIX without a charge or transfer: those lock the
 * same connection with their own row, before a movement. Throws if it does not exist.
 */
export async function lockMovement(em: EntityManager, uuid: string): Promise<Movement> {
  const connection = connectionLock(em, [uuid], '(select connection_uuid from movement where uuid = ?)')
  const row = queryEntities(em, Movement, {
    rest: 'where r.uuid = ? for update',
    values: [uuid],
    refresh: true,
  })
  await sendChanges(em) // Written before the row is read again.
  const [, movement] = await runQuery(em, batchQueries(connection, firstRow(row)))
  if (!movement) throw new Error(`no movement ${uuid}`)
  return movement
}

/** Queries the movement of an operation by the operation's uuid. */
export function queryMovementOf(em: EntityManager, table: 'charge' | 'transfer' | 'refund', uuid: string) {
  const rest = `where r.uuid = (select movement_uuid from ${table} where uuid = ?)`
  return queryEntities(em, Movement, { rest, values: [uuid] })
}

/** Locks an account's row: writers of its keys, defaults and unique references run one after the other. */
export async function lockAccount(em: EntityManager, uuid: string): Promise<void> {
  await em.execute('select from account where uuid = ? for no key update', [uuid])
}

/** Locks a provider account's row; `for update` also against new rows that refer to it. */
export async function lockProviderAccount(
  em: EntityManager,
  uuid: string,
  lock: 'for update' | 'for no key update' = 'for no key update',
): Promise<void> {
  await em.execute(`select from provider_account where uuid = ? ${lock}`, [uuid])
}
