import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import { ASYNC_COMMIT, query, runAsyncCommit } from '../pipeline/query.ts'
import { RETENTION } from '../retention.ts'
import { joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** The log of requests by API tokens: written in batches, kept for some days, pruned by truncating the partition of a day. */

/** Days that the log is kept, the present one not counted. */
export const API_REQUEST_DAYS = RETENTION.api_request.kept.days
/** Partitions: the kept days, the present one, the next one, and the one that is truncated. */
const SLOTS = API_REQUEST_DAYS + 3
const DAY_MS = 86_400_000

/** One request. `atUs`: microseconds since 1970, different for each request of a process: the cursor of the list. */
export type ApiRequestRecord = {
  tokenNumber: number
  atUs: number
  durationMs: number
  status: number
  method: string
  path: string | null
  errorCode: string | null
  requestId: string
}

const slotOfDay = (ms: number) => Math.floor(ms / DAY_MS) % SLOTS

/** Inserts a batch in one statement; a crash of PostgreSQL may lose it. */
export async function insertApiRequests(
  em: EntityManager,
  records: readonly ApiRequestRecord[],
): Promise<void> {
  const rows = records.map(record => ({ ...record, slot: slotOfDay(record.atUs / 1_000) }))
  await runAsyncCommit(
    em,
    query(
      `insert into api_request (at, token_number, duration_ms, slot, status, method, path, error_code, request_id)
       select to_timestamp(r."atUs" / 1000000.0), r."tokenNumber", r."durationMs", r.slot, r.status, r.method, r.path,
         r."errorCode", r."requestId"
       from ${ASYNC_COMMIT} cross join json_to_recordset(?::json) as r (slot smallint, "tokenNumber" int, "atUs" bigint,
         "durationMs" int, status smallint, method text, path text, "errorCode" text, "requestId" text)`,
      [JSON.stringify(rows)],
      () => undefined,
    ),
  )
}

/** Filters of the list. `statusClass`: 2 for 200 to 299. `path`: a part of it. `beforeUs`: the cursor. */
export type ApiRequestFilter = {
  accountUuid: string
  tokenUuid?: string | undefined
  statusClass?: number | undefined
  method?: string | undefined
  path?: string | undefined
  requestId?: string | undefined
  beforeUs?: number | undefined
  limit: number
}

export type ListedApiRequest = Omit<ApiRequestRecord, 'tokenNumber'> & {
  at: Date
  tokenUuid: string
  tokenName: string
}

/** Lists the requests of an account's tokens, newest first: per token along its index, the newest of all of them. */
export async function listApiRequests(
  em: EntityManager,
  filter: ApiRequestFilter,
): Promise<ListedApiRequest[]> {
  const since = `now() - interval '${API_REQUEST_DAYS} days'`
  const rows = joinConditions(
    [`r.at > ${since}`],
    filter.beforeUs !== undefined && ['r.at < to_timestamp(?::bigint / 1000000.0)', filter.beforeUs],
    ...listRowConditions(filter),
  )
  const tokens = joinConditions(
    ['t.account_uuid = ?', filter.accountUuid],
    // The last use is written once a minute.
    [`t.last_used_at > ${since} - interval '1 hour'`],
    filter.tokenUuid !== undefined && ['t.uuid = ?', filter.tokenUuid],
  )
  const found = await em.execute<Omit<ListedApiRequest, 'at'>[]>(
    `select t.uuid as "tokenUuid", t.name as "tokenName", r.duration_ms as "durationMs", r.status, r.method,
       r.path, r.error_code as "errorCode", r.request_id as "requestId",
       round(extract(epoch from r.at) * 1000000)::float8 as "atUs"
     from token t cross join lateral (
       select * from api_request r where r.token_number = t.number and ${rows.sql} order by r.at desc limit ?
     ) r
     where ${tokens.sql} order by r.at desc limit ?`,
    [...rows.values, filter.limit, ...tokens.values, filter.limit],
  )
  return found.map(row => ({ ...row, at: new Date(row.atUs / 1_000) }))
}

function listRowConditions({
  statusClass,
  method,
  path,
  requestId,
}: ApiRequestFilter): OptionalSqlCondition[] {
  return [
    statusClass !== undefined && ['r.status / 100 = ?', statusClass],
    method !== undefined && ['r.method = ?', method],
    path !== undefined && ['strpos(r.path, ?) > 0', path],
    requestId !== undefined && ['r.request_id = ?', requestId],
  ]
}

/**
 * Deletes what is older than the kept days: truncates the partition that tomorrow's successor will fill. It waits at most two
 * seconds for readers; the next run tries again.
 */
export async function pruneApiRequests(em: EntityManager, now = new Date()): Promise<void> {
  const partition = `api_request_${slotOfDay(now.getTime() + 2 * DAY_MS)}`
  const rows: unknown[] = await em.execute(`select from ${partition} limit 1`)
  if (rows.length === 0) return
  await runInTransaction(em, async tx => {
    await tx.execute(`set local lock_timeout = '2s'`)
    await tx.execute(`truncate ${partition}`)
  })
}
