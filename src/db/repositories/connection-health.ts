import type { EntityManager } from '../client/orm.ts'
import { MAX_LISTED_ROWS } from './operator-lists.ts'

/** Lists every connection, unhealthy ones first: status, circuit breaker and pauses. */
export function listConnectionHealth(em: EntityManager) {
  return em.execute(
    `select c.uuid, c.account_uuid, n.name as account_name, c.provider, c.type, c.status, b.opened_at, p.reach as pause
     from connection c join account n on n.uuid = c.account_uuid
     left join circuit_breaker b on b.connection_uuid = c.uuid
     left join pause p on p.connection_uuid = c.uuid
     order by (b.opened_at is null and p.uuid is null and c.status = 'ACTIVE'), n.name, c.provider limit ${MAX_LISTED_ROWS}`,
  )
}
