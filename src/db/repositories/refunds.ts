import type { EntityManager } from '../client/orm.ts'
import { Refund } from '../entities/refund.ts'
import { queryEntities } from '../pipeline/entity-mapper.ts'
import { mapQuery, type Query } from '../pipeline/query.ts'

/** Returns the query of a refund, whose row exists as long as its workflow. With `lock` it reads the current row. */
export function queryRefund(em: EntityManager, uuid: string, lock: 'for update' | '' = ''): Query<Refund> {
  const refresh = lock !== ''
  const refunds = queryEntities(em, Refund, { rest: `where r.uuid = ? ${lock}`, values: [uuid], refresh })
  return mapQuery(refunds, rows => rows[0]!)
}
