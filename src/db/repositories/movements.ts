import type { EntityManager } from '../client/orm.ts'
import { Movement } from '../entities/movement.ts'
import { queryEntities } from '../pipeline/entity-mapper.ts'
import type { Query } from '../pipeline/query.ts'

/** Queries the incoming movements of a charge's provider account by their end-to-end ids, into the unit of work. */
export function queryReceivedMovements(
  em: EntityManager,
  { chargeUuid, endToEnds }: { chargeUuid: string; endToEnds: string[] },
): Query<Movement[]> {
  const rest = `where r.provider_account_uuid = (select provider_account_uuid from charge where uuid = ?)
    and r.movement_type = 'IN' and r.end_to_end = any(?::text[])`
  return queryEntities(em, Movement, { rest, values: [chargeUuid, endToEnds] })
}
