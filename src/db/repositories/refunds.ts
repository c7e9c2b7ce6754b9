import { isEndedAttempt } from '../../domain/providers/attempt.ts'
import type { EntityManager } from '../client/orm.ts'
import { Attempt } from '../entities/attempt.ts'
import type { Charge } from '../entities/charge.ts'
import type { Connection } from '../entities/connection.ts'
import { Movement } from '../entities/movement.ts'
import { Refund } from '../entities/refund.ts'
import { getEntityMapper, queryEntities } from '../pipeline/entity-mapper.ts'
import { mapQuery, type Query, type ResultRow } from '../pipeline/query.ts'
import { selectValue } from '../select-values.ts'
import { type RowPage, selectPageRows } from '../sql-conditions.ts'

/** Read-only refund with what its list shows: its movement, and the movement that paid its charge. */
export type ReadRefund = Omit<Refund, 'movement'> & {
  movement: Movement
  original: Movement
  connection: Pick<Connection, 'uuid' | 'provider'>
  externalRef: string | null
}

type RefundRow = ResultRow & { provider: Connection['provider']; external_ref: string | null }

/** Returns the query of a refund, whose row exists as long as its workflow. With `lock` it reads the current row. */
export function queryRefund(em: EntityManager, uuid: string, lock: 'for update' | '' = ''): Query<Refund> {
  const refresh = lock !== ''
  const refunds = queryEntities(em, Refund, { rest: `where r.uuid = ? ${lock}`, values: [uuid], refresh })
  return mapQuery(refunds, rows => rows[0]!)
}

/** Queries the refunds of a charge, oldest first, into this unit of work; those that it has loaded stay as they are. */
export function queryChargeRefunds(em: EntityManager, chargeUuid: string): Query<Refund[]> {
  const rest = 'where r.charge_uuid = ? order by r.created_at, r.uuid'
  return queryEntities(em, Refund, { rest, values: [chargeUuid] })
}

/** Tells whether another refund of the charge is under way at its provider. The caller holds the row lock of the charge. */
export async function hasOtherLiveRefund(
  em: EntityManager,
  { uuid }: Pick<Refund, 'uuid'>,
  { uuid: chargeUuid }: Pick<Charge, 'uuid'>,
): Promise<boolean> {
  const refunds = await em.find(Refund, { chargeUuid, uuid: { $ne: uuid } }, { fields: ['uuid'] })
  const attempts = await em.find(Attempt, {
    operation: 'refund',
    subjectUuid: { $in: refunds.map(one => one.uuid) },
  })
  return attempts.some(attempt => !isEndedAttempt(attempt))
}

/** Tells whether another refund of the same charge was attempted after this attempt at a refund. Takes no lock. */
export function hasLaterRefund(
  em: EntityManager,
  { subjectUuid, createdAt }: Pick<Attempt, 'subjectUuid' | 'createdAt'>,
): Promise<boolean> {
  const sql = `select exists (select from refund r
      join refund other on other.charge_uuid = r.charge_uuid and other.uuid <> r.uuid
      join attempt a on a.operation = 'refund' and a.subject_uuid = other.uuid
      where r.uuid = ? and a.created_at > ?)`
  return selectValue(em, sql, [subjectUuid, createdAt])
}

/** Reads a page of refunds of any charges, newest first, in one snapshot. */
export async function readRefunds(em: EntityManager, page: RowPage): Promise<ReadRefund[]> {
  const refund = getEntityMapper(em, Refund, 'r')
  const movement = getEntityMapper(em, Movement, 'm')
  const original = getEntityMapper(em, Movement, 'o')
  const select = (keys: string) => `select ${refund.columns}, ${movement.columns}, ${original.columns},
       k.provider, c.external_ref
     from (${keys}) page
     join refund r on r.uuid = page.uuid
     join charge c on c.uuid = r.charge_uuid
     join connection k on k.uuid = r.connection_uuid
     join movement m on m.uuid = r.movement_uuid
     join movement o on o.uuid = c.movement_uuid
     order by r.created_at desc, r.uuid desc`
  const rows = await selectPageRows<RefundRow>(em, 'refund', page, { select })
  return rows.map(row => ({
    ...refund.mapRow(row),
    movement: movement.mapRow(row),
    original: original.mapRow(row),
    connection: { uuid: row.r_connection_uuid as string, provider: row.provider },
    externalRef: row.external_ref,
  }))
}
