import { computeContestableSince } from '../../domain/disputes/contest.ts'
import { UNRESOLVED_DISPUTE_STATES } from '../../domain/disputes/dispute.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import { PROVIDER_APIS } from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import type { EntityManager } from '../client/orm.ts'
import { type Connection, ProviderAccount } from '../entities/connection.ts'
import { ATTACHMENT_ORDER, Attachment, Contest, Dispute } from '../entities/dispute.ts'
import { Movement } from '../entities/movement.ts'
import { getEntityMapper, queryEntities } from '../pipeline/entity-mapper.ts'
import { type Query, query, type ResultRow } from '../pipeline/query.ts'
import { selectValues } from '../select-values.ts'
import { type OptionalSqlCondition, type RowPage, selectPageRows } from '../sql-conditions.ts'

/** Number of provider accounts per sweep, longest waiting first: at least MIN_PER_ROUND, else 1/ROUNDS_PER_CYCLE. */
const MIN_PER_ROUND = 25
const ROUNDS_PER_CYCLE = 20

/** Claims the due provider accounts, which moves them to the end of the queue, and returns one connection of each. */
export function claimDueConnections(em: EntityManager): Promise<string[]> {
  const withoutNotifications = PROVIDER_APIS.filter(
    dialect => PROVIDER_CAPABILITIES[dialect].disputes?.areNotified === false,
  )
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

/** Records that a provider account has answered with its list of disputes; to the minute, because it is listed often. */
export async function recordDisputeListing(em: EntityManager, providerAccountUuid: string): Promise<void> {
  const minuteAgo = new Date(Date.now() - MINUTE)
  await em.nativeUpdate(
    ProviderAccount,
    {
      uuid: providerAccountUuid,
      $or: [{ disputesListedAt: null }, { disputesListedAt: { $lt: minuteAgo } }],
    },
    { disputesListedAt: new Date() },
  )
}

/**
 * Locks the unresolved received disputes of accounts at one provider account, in the order of their uuids, and refreshes them
 * in the unit of work.
 */
export function queryUnresolvedDisputesForUpdate(
  em: EntityManager,
  { providerAccountUuid, accountUuids }: { providerAccountUuid: string; accountUuids: string[] },
): Query<Dispute[]> {
  const rest = `where r.provider_account_uuid = ? and r.account_uuid = any(?::uuid[]) and r.kind = 'RECEIVED_MED'
    and r.state = any(?::text[]) order by r.uuid for update`
  const values = [providerAccountUuid, accountUuids, [...UNRESOLVED_DISPUTE_STATES]]
  return queryEntities(em, Dispute, { rest, values, refresh: true })
}

/** A dispute as notifications are routed to it; `providerDisputeId` is null while its provider has not accepted the request. */
export type PixDispute = { uuid: string; providerDisputeId: string | null; isRequested: boolean }

/** Queries the disputes about a PIX, without requests that were refused. */
export function queryDisputesOfPix({
  providerAccountUuid,
  endToEnd,
}: {
  providerAccountUuid: string
  endToEnd?: string | null
}): Query<PixDispute[]> {
  return query(
    `select uuid, provider_dispute_id as "providerDisputeId", kind = 'REQUESTED_MED' as "isRequested" from dispute
     where provider_account_uuid = ? and end_to_end = ? and state <> 'refused'`,
    [providerAccountUuid, endToEnd ?? null],
    rows => rows as PixDispute[],
  )
}

/** Filter of the dispute that an account has requested about a PIX: there is one for ever, by whatever ids its provider knows it. */
export function requestedDisputeOf(pix: Pick<Dispute, 'providerAccountUuid' | 'endToEnd'>) {
  return { ...pix, kind: 'REQUESTED_MED', state: { $ne: 'refused' } } as const
}

/** Read-only dispute with all that its response shows; a loaded entity with its attachments conforms too. */
export type ReadDispute = Omit<Dispute, 'connection' | 'movement'> & {
  connection: Pick<Connection, 'uuid' | 'provider'>
  movement: Movement
}
export type ReadAttachment = Pick<Attachment, 'uuid' | 'storageKey'>

type DisputeRow = ResultRow & { provider: Connection['provider']; attachments: ReadAttachment[] | null }

/** Reads a page of disputes with their attachments and contests, newest first, in one statement and so in one snapshot. */
export async function readDisputes(em: EntityManager, page: RowPage) {
  const dispute = getEntityMapper(em, Dispute, 'd')
  const movement = getEntityMapper(em, Movement, 'm')
  const contest = getEntityMapper(em, Contest, 'c')
  const select = (
    keys: string,
  ) => `select ${dispute.columns}, k.provider, ${movement.columns}, ${contest.columns}, ${ATTACHMENTS_COLUMN} as attachments
     from (${keys}) page
     join dispute d on d.uuid = page.uuid
     join connection k on k.uuid = d.connection_uuid
     join movement m on m.uuid = d.movement_uuid
     left join contest c on c.dispute_uuid = d.uuid
     order by d.created_at desc, d.uuid desc`
  const rows = await selectPageRows<DisputeRow>(em, 'dispute', page, { select })
  return rows.map(row => ({
    ...dispute.mapRow(row),
    connection: { uuid: row.d_connection_uuid as string, provider: row.provider },
    movement: movement.mapRow(row),
    attachments: row.attachments ?? [],
    contest: row.c_dispute_uuid === null ? null : contest.mapRow(row),
  }))
}

const ATTACHMENTS_COLUMN = `(
  select json_agg(json_build_object('uuid', a.uuid, 'storageKey', a.storage_key) order by a.reply, a.position)
  from attachment a where a.dispute_uuid = d.uuid
)`

/** Reads what is shown of a dispute beside its row: its attachments in their order, and its contest where it has one. */
export async function readDisputeParts(em: EntityManager, { uuid: disputeUuid, returnedAt }: Dispute) {
  const attachments = await em.find(Attachment, { disputeUuid }, { orderBy: ATTACHMENT_ORDER })
  // What was not returned is not contested.
  const contest = returnedAt ? await em.findOne(Contest, { disputeUuid }) : null
  return { attachments, contest }
}

/** Selects what may be contested now (`contestErrorCodeOf`), or what may not. */
export function isContestable(isWanted: boolean): OptionalSqlCondition {
  const sql = `kind = 'RECEIVED_MED' and returned_at >= ?
    and not exists (select from contest c where c.dispute_uuid = uuid)`
  const since = computeContestableSince(new Date())
  return isWanted ? [sql, since] : [`(${sql}) is not true`, since]
}
