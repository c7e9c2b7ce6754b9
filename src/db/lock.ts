import { type EntityClass, LockMode } from '@mikro-orm/core'
import { Connection } from './entities/connection.ts'
import { Movement } from './entities/movement.ts'
import type { EntityManager } from './orm.ts'
import { all, ask, first, type Question } from './questions.ts'
import { entities } from './reading.ts'

/**
 * A row locked alone. What it refers to is read by a later statement: it is seen as of the moment the lock was given, and
 * a connection or account is not locked with it, which every new row that names one would wait for.
 */
export const ALONE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

/**
 * A row locked alone by its key, or null where there is none, by a statement written once: every step of money begins
 * with it. `more` is what else is to be known from then on, asked in the message of the lock and answered after it. Its key
 * never changes, so a new row that names it does not wait: whoever inserts one may have the gate that this one waits for.
 */
export async function findAlone<T extends { uuid: string }, More>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
  more: Question<More>,
): Promise<[T | null, More]> {
  if (!em.isInTransaction()) throw new Error('a lock outlives nothing but its transaction')
  const isKnown = em.getUnitOfWork().getById(entity, uuid as never) !== undefined
  if (isKnown) await em.flush() // What this unit of work has begun with it is written before it is read anew.
  const rest = 'where r.uuid = ? for no key update'
  const lock = first(entities(em, entity, { rest, values: [uuid], refresh: isKnown }))
  const [row, heard] = await ask(em, all(lock, more))
  return [row ?? null, heard]
}

/** The same of a row that must be there. */
export async function lockAlone<T extends { uuid: string }, More>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
  more: Question<More>,
): Promise<[T, More]> {
  const [row, heard] = await findAlone(em, entity, uuid, more)
  if (!row) throw new Error(`no ${entity.name} ${uuid}`)
  return [row, heard]
}

/**
 * The gate of money: of what goes through one connection, one transaction at a time moves some. So those that take
 * balances more than once, or disputes and balances, never wait for each other. Taken after the row of the life and
 * before any dispute or balance; rows that name the connection do not wait for it. The connection is known from then on.
 */
export async function lockGate(em: EntityManager, connectionUuid: string): Promise<void> {
  await ask(em, gate(em, [connectionUuid]))
}

/** The same, to be asked beside others; `key` is what its key is found by, of these values. */
export function gate(em: EntityManager, values: string[], key = '?'): Question<Connection[]> {
  const rest = `where r.uuid = ${key} for no key update`
  return entities(em, Connection, { rest, values, refresh: true })
}

/** Batched with the row lock of a charge or transfer: locks its connection row (balances) and loads its movement. */
export function moneyOf(em: EntityManager, table: 'charge' | 'transfer', uuid: string) {
  const named = (column: string) => `(select ${column} from ${table} where uuid = ?)`
  const movement = { rest: `where r.uuid = ${named('movement_uuid')}`, values: [uuid] }
  return all(gate(em, [uuid], named('connection_uuid')), entities(em, Movement, movement))
}
