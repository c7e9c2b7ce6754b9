import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { selectValue } from '../select-values.ts'
import { joinConditions } from '../sql-conditions.ts'

/** Provider answers that no published document explains: sealed, counted when repeated (`unexplained_answer`). */

/** Limit of different answers with one name to one request; further ones are counted on the newest of them. */
const MAX_ANSWERS_PER_NAME = 20
/** Limit of different list items with one name, each of which is money or a dispute of its own. */
const MAX_ITEMS_PER_NAME = 5_000
export const MAX_UNEXPLAINED_LISTED = 200

export type SealedUnexplainedAnswer = {
  connectionUuid: string
  operation: string
  reference: string | null
  kind: string
  status: number | null
  name: string
  sealedBody: string
  isCut: boolean
  digest: string
  period: { from: string; to: string } | null
}

/**
 * Stores an answer, or counts a repeat. An item that is in several lists lies in all of their periods: their
 * intersection is stored. An item that returns is unresolved again.
 */
export async function storeUnexplainedAnswer(em: EntityManager, answer: SealedUnexplainedAnswer) {
  const { connectionUuid, operation, reference, kind, status, name, sealedBody, isCut, digest, period } =
    answer
  const [stored] = await em.execute<{ uuid: string }[]>(
    `insert into unexplained_answer as u
       (uuid, connection_uuid, operation, reference, kind, status, name, sealed_body, is_cut, digest, period_from, period_to)
     select ?::uuid, ?::uuid, ?, ?::text, ?, ?::int, ?, ?, ?::boolean, ?, ?::timestamptz, ?::timestamptz
     where ? > (select count(*) from unexplained_answer o where o.connection_uuid = ? and o.operation = ?
         and o.reference is not distinct from ?::text and o.kind = ? and o.name = ? and o.digest <> ?)
     on conflict (connection_uuid, operation, reference, kind, digest) do update set
       occurrences = u.occurrences + 1, last_seen_at = now(), resolved_at = null,
       status = excluded.status, name = excluded.name,
       period_from = case when greatest(u.period_from, excluded.period_from) <= least(u.period_to, excluded.period_to)
         then greatest(u.period_from, excluded.period_from) else excluded.period_from end,
       period_to = case when greatest(u.period_from, excluded.period_from) <= least(u.period_to, excluded.period_to)
         then least(u.period_to, excluded.period_to) else excluded.period_to end
     returning u.uuid`,
    [
      ...[randomUUID(), connectionUuid, operation, reference, kind, status, name, sealedBody, isCut, digest],
      ...[period?.from ?? null, period?.to ?? null],
      ...[kind === 'unreadable_item' ? MAX_ITEMS_PER_NAME : MAX_ANSWERS_PER_NAME],
      ...[connectionUuid, operation, reference, kind, name, digest],
    ],
  )
  if (stored) return
  await em.execute(
    `update unexplained_answer set occurrences = occurrences + 1, last_seen_at = now() where uuid = (
       select uuid from unexplained_answer where connection_uuid = ? and operation = ?
         and reference is not distinct from ?::text and kind = ? and name = ? order by last_seen_at desc limit 1)`,
    [connectionUuid, operation, reference, kind, name],
  )
}

/** Counts answers by name, the latest first. */
export function listUnexplainedNames(em: EntityManager) {
  return em.execute(
    `select c.provider, u.operation, u.kind, u.name, max(u.status) as status, sum(u.occurrences) as occurrences,
       count(*) as answers, count(*) filter (where u.period_from is not null and u.resolved_at is null) as unresolved,
       max(u.last_seen_at) as last_seen_at
     from unexplained_answer u join connection c on c.uuid = u.connection_uuid
     group by c.provider, u.operation, u.kind, u.name
     order by max(u.last_seen_at) desc limit ${MAX_UNEXPLAINED_LISTED}`,
  )
}

/** Filter of a list of answers; absent fields match all. */
export type UnexplainedFilter = Partial<
  Record<'reference' | 'provider' | 'operation' | 'kind' | 'name', string | undefined>
>

const COLUMNS = `u.uuid, u.connection_uuid, n.name as account_name, c.provider, u.operation, u.reference, u.kind, u.status,
  u.name, u.is_cut, u.occurrences, u.first_seen_at, u.last_seen_at, u.period_from, u.period_to, u.resolved_at`
const FROM = `from unexplained_answer u join connection c on c.uuid = u.connection_uuid
  join account n on n.uuid = c.account_uuid`

/** Lists answers without their bodies, the latest first. */
export function listUnexplainedAnswers(em: EntityManager, filter: UnexplainedFilter): Promise<object[]> {
  const { reference, provider, operation, kind, name } = filter
  const { sql, values } = joinConditions(
    ['true'],
    reference !== undefined && ['u.reference = ?', reference],
    provider !== undefined && ['c.provider = ?', provider],
    operation !== undefined && ['u.operation = ?', operation],
    kind !== undefined && ['u.kind = ?', kind],
    name !== undefined && ['u.name = ?', name],
  )
  return em.execute(
    `select ${COLUMNS} ${FROM} where ${sql} order by u.last_seen_at desc, u.uuid limit ${MAX_UNEXPLAINED_LISTED}`,
    values,
  )
}

/** Finds one answer with its sealed body. */
export async function findUnexplainedAnswer(
  em: EntityManager,
  uuid: string,
): Promise<{ sealed_body: string } | undefined> {
  const [row] = await em.execute<{ sealed_body: string }[]>(
    `select ${COLUMNS}, u.sealed_body ${FROM} where u.uuid = ?`,
    [uuid],
  )
  return row
}

/** Period in which a list of one provider account has items that could not be read; times are ISO 8601 UTC. */
export type QuarantinedPeriod = { connectionUuid: string; from: string; to: string }

const IS_QUARANTINED = `u.operation = ? and u.period_from is not null and u.resolved_at is null`

/** Lists the periods to request again, those that have waited longest first. */
export async function listQuarantinedPeriods(
  em: EntityManager,
  filter: { operation: string; providerAccountUuid: string; lastSeenBefore: string; limit: number },
): Promise<QuarantinedPeriod[]> {
  const rows = await em.execute<{ connection_uuid: string; period_from: string; period_to: string }[]>(
    `select u.connection_uuid, u.period_from, u.period_to from unexplained_answer u
     join connection c on c.uuid = u.connection_uuid
     where c.provider_account_uuid = ? and ${IS_QUARANTINED} and u.last_seen_at < ?::timestamptz
     group by u.connection_uuid, u.period_from, u.period_to order by min(u.last_seen_at) limit ?`,
    [filter.providerAccountUuid, filter.operation, filter.lastSeenBefore, filter.limit],
  )
  return rows.map(row => ({
    connectionUuid: row.connection_uuid,
    from: new Date(row.period_from).toISOString(),
    to: new Date(row.period_to).toISOString(),
  }))
}

/** Reads PostgreSQL's clock, by which `resolveUnexplainedItems` finds the items that a list still leaves out. */
export function readDatabaseTime(em: EntityManager): Promise<string> {
  return selectValue(em, 'select clock_timestamp()::text')
}

/** Resolves the items of a period that a new list, requested at `listedAt`, no longer leaves out. */
export async function resolveUnexplainedItems(
  em: EntityManager,
  { operation, period, listedAt }: { operation: string; period: QuarantinedPeriod; listedAt: string },
): Promise<void> {
  await em.execute(
    `update unexplained_answer u set resolved_at = now()
     where u.connection_uuid = ? and ${IS_QUARANTINED} and u.period_from >= ? and u.period_to <= ? and u.last_seen_at < ?::timestamptz`,
    [period.connectionUuid, operation, period.from, period.to, listedAt],
  )
}
