import type { EntityManager } from '../client/orm.ts'
import { Movement } from '../entities/movement.ts'
import { queryEntities } from '../pipeline/entity-mapper.ts'
import type { Query } from '../pipeline/query.ts'

/** Queries the incoming movements of a provider account by their end-to-end ids, into the unit of work. */
export function queryReceivedMovements(
  em: EntityManager,
  { providerAccountUuid, endToEnds }: { providerAccountUuid: string; endToEnds: string[] },
): Query<Movement[]> {
  const rest = `where r.provider_account_uuid = ? and r.movement_type = 'IN' and r.end_to_end = any(?::text[])`
  return queryEntities(em, Movement, { rest, values: [providerAccountUuid, endToEnds] })
}
