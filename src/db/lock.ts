import { type EntityClass, LockMode } from '@mikro-orm/core'
import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'
import { entitiesBy } from './reading.ts'

/**
 * A row locked alone. What it refers to is read by a later statement: it is seen as of the moment the lock was given, and
 * a connection or account is not locked with it, which every new row that names one would wait for.
 */
export const ALONE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

/**
 * A row locked alone by its key, or null where there is none, by a statement written once: every step of money begins
 * with it. A row that this unit of work knows already may have been changed by it, so it asks for that one itself.
 */
export async function findAlone<T extends { uuid: string }>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
): Promise<T | null> {
  if (!em.isInTransaction()) throw new Error('a lock outlives nothing but its transaction')
  if (em.getUnitOfWork().getById(entity, uuid as never))
    return (await em.findOne(entity, uuid as never, ALONE)) as T | null
  const [row] = await entitiesBy(em, entity, { rest: 'where r.uuid = ? for update', values: [uuid] })
  return row ?? null
}

/** The same of a row that must be there. */
export async function lockAlone<T extends { uuid: string }>(
  em: EntityManager,
  entity: EntityClass<T>,
  uuid: string,
): Promise<T> {
  const row = await findAlone(em, entity, uuid)
  if (!row) throw new Error(`no ${entity.name} ${uuid}`)
  return row
}

/**
 * The gate of money: of what goes through one connection, one transaction at a time moves some. So those that take
 * balances more than once, or disputes and balances, never wait for each other. Taken after the row of the life and
 * before any dispute or balance; rows that name the connection do not wait for it. The connection is known from then on.
 */
export async function lockGate(em: EntityManager, connectionUuid: string): Promise<void> {
  const rest = 'where r.uuid = ? for no key update'
  await entitiesBy(em, Connection, { rest, values: [connectionUuid], refresh: true })
}
