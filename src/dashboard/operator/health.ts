import type { EntityManager } from '../../db/orm.ts'
import { MOST_SHOWN } from './watch.ts'

export type Health = {
  uuid: string
  account_uuid: string
  account_name: string
  provider: string
  type: string
  status: string
  opened_at: Date | null
  pause: string | null
}

/** Every connection, those in trouble first: its status, its breaker, and whether it is paused. */
export function connectionHealth(em: EntityManager): Promise<Health[]> {
  return em.execute(
    `select c.uuid, c.account_uuid, n.name as account_name, c.provider, c.type, c.status, b.opened_at, p.reach as pause
     from connection c join account n on n.uuid = c.account_uuid
     left join breaker b on b.connection_uuid = c.uuid
     left join pause p on p.connection_uuid = c.uuid
     order by (b.opened_at is null and p.uuid is null and c.status = 'ACTIVE'), n.name, c.provider limit ${MOST_SHOWN}`,
  )
}
