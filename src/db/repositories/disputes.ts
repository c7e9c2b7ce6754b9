import { HAS_DISPUTE_NOTIFICATIONS } from '../../domain/disputes/provider-dispute.ts'
import { PROVIDER_APIS } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { Dispute } from '../entities/dispute.ts'
import { type Query, query } from '../pipeline/query.ts'
import { selectValues } from '../select-values.ts'
import { type RowPage, selectNewestRows } from '../sql-conditions.ts'

/** Number of provider accounts per sweep, longest waiting first: at least MIN_PER_ROUND, else 1/ROUNDS_PER_CYCLE. */
const MIN_PER_ROUND = 25
const ROUNDS_PER_CYCLE = 20

/** Claims the due provider accounts, which moves them to the end of the queue, and returns one connection of each. */
export function claimDueConnections(em: EntityManager): Promise<string[]> {
  const withoutNotifications = PROVIDER_APIS.filter(dialect => !HAS_DISPUTE_NOTIFICATIONS[dialect])
  return selectValues(
    em,
    `with due as (
       select p.uuid from provider_account p
       where exists (select from connection c where c.provider_account_uuid = p.uuid and c.dialect = any(array[?]::text[]))
       order by p.disputes_polled_at nulls first
       limit (select greatest(${MIN_PER_ROUND}, ceil(count(*) / ${ROUNDS_PER_CYCLE}.0)) from provider_account)
       for update skip locked
     )
     update provider_account p set disputes_polled_at = now() from due where p.uuid = due.uuid
     returning (select c.uuid from connection c where c.provider_account_uuid = p.uuid and c.dialect = any(array[?]::text[])
                order by c.status = 'ACTIVE' desc, c.created_at limit 1) as uuid`,
    [withoutNotifications, withoutNotifications],
  )
}

/** Queries the provider's ids of the disputes about a PIX. */
export function queryProviderDisputeIds({
  providerAccountUuid,
  endToEnd,
}: {
  providerAccountUuid: string
  endToEnd?: string | null
}): Query<string[]> {
  return query(
    'select provider_dispute_id as reference from dispute where provider_account_uuid = ? and end_to_end = ?',
    [providerAccountUuid, endToEnd ?? null],
    rows => rows.map(({ reference }) => reference as string),
  )
}

/** Reads a page of disputes, newest first. */
export async function readDisputes(em: EntityManager, page: RowPage) {
  const keys = await selectNewestRows<{ uuid: string }>(em, 'dispute', page, { select: keys => keys })
  const uuids = keys.map(({ uuid }) => uuid)
  const orderBy = [{ createdAt: 'desc' as const }, { uuid: 'desc' as const }]
  return em.find(Dispute, { uuid: { $in: uuids } }, { populate: ['connection', 'movement'], orderBy })
}
