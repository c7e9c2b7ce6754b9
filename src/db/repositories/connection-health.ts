import type { BUCKETS } from '../../domain/ledger/legs.ts'
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

/** Reads the balances of connections' accounts at their provider accounts, in centavos by bucket. */
export async function readConnectionBalances(em: EntityManager, connectionUuids: string[]) {
  const rows: { uuid: string; cents: Record<(typeof BUCKETS)[number], number> }[] = await em.execute(
    `select c.uuid, json_object_agg(b.bucket, b.cents) as cents from connection c
     join balance b on b.account_uuid = c.account_uuid and b.provider_account_uuid = c.provider_account_uuid
     where c.uuid = any(array[?]::uuid[]) group by c.uuid`,
    [connectionUuids],
  )
  return new Map(rows.map(row => [row.uuid, row.cents]))
}
