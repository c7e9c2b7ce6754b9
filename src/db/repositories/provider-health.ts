import { PREFLIGHT_CODES } from '../../domain/payouts/unsent-code.ts'
import { listJudgedStates } from '../../domain/providers/answer-judgement.ts'
import type { AttemptOperation, AttemptState } from '../../domain/providers/attempt.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { buildPauseCondition } from '../entities/pause.ts'
import { formatTextArray, joinConditions } from '../sql-conditions.ts'
import { IS_CALLED_SQL } from './account-statistics.ts'
import { IS_OPEN_CIRCUIT_SQL } from './circuit-breaker.ts'
import { CONNECTION_COLUMNS } from './pauses.ts'

/** How providers answer now, over all accounts, for operators. Providers of the two modes are told apart. */

/** Lengths of the periods up to now whose calls are counted, in minutes, the shortest first. */
export const HEALTH_PERIODS_MIN = [15, 60] as const
/** Calls that are counted of each connection: its latest of the longest period. */
export const MAX_COUNTED_CALLS = 100
/** Attempts on their page. */
const MAX_LISTED_ATTEMPTS = 50

export type ProviderOfMode = { provider: ProviderName; isSimulated: boolean }

/** The orders of one kind that a provider was called for within a period and whose call has ended. */
export type CallCounts = ProviderOfMode & {
  operation: AttemptOperation
  minutes: (typeof HEALTH_PERIODS_MIN)[number]
  accepted: number
  /** Refused with a documented reason, which is a useful answer. */
  refused: number
  /** Without a useful answer: HTTP 5xx; none in time; and any other. */
  serverErrors: number
  timeouts: number
  otherFailures: number
  /** Median time until a charge was issued or a payout settled, in milliseconds. */
  medianMs: number | null
  firstAt: string
  /** Calls without a useful answer after the last useful one, and when the first of them began. */
  failedInARow: number
  failingSince: string | null
  /** Connections of the calls without a useful answer. */
  failedConnections: string[]
}

/**
 * Counts the latest calls of each provider, by kind of order and period. An attempt counts once its call has ended, and by what it is
 * now: one whose outcome is unknown and one whose payload is an orphan are without a useful answer.
 */
export function countRecentCalls(em: EntityManager): Promise<CallCounts[]> {
  const isFailed = `outcome not in ('accepted', 'refused')`
  const countOf = (outcome: string) => `count(*) filter (where outcome = '${outcome}')::int`
  const isInRow = `${isFailed} and created_at > coalesce(answered_at, '-infinity')`
  return em.execute(
    `with judged as (
       select c.uuid as connection_uuid, c.provider, c.is_simulated, a.operation, a.state, a.created_at, a.updated_at,
         case when a.state = any(?::text[]) then 'accepted' when a.state = any(?::text[]) then 'refused'
           when a.code ~ '^http_5' then 'server_error'
           -- Without a code the payload of another provider was there before this one's.
           when a.code = 'timeout' or (a.code is null and a.operation = 'issue') then 'timeout' else 'other' end as outcome
       from connection c cross join lateral (${RECENT_ATTEMPTS_SQL}) a
       where ${IS_CALLED_SQL} and a.state = any(?::text[])
     ), called as (
       select *, max(created_at) filter (where not ${isFailed})
         over (partition by provider, is_simulated, operation) as answered_at from judged
     )
     select provider, is_simulated as "isSimulated", operation, minutes,
       ${countOf('accepted')} as accepted, ${countOf('refused')} as refused, ${countOf('server_error')} as "serverErrors",
       ${countOf('timeout')} as timeouts, ${countOf('other')} as "otherFailures",
       percentile_cont(0.5) within group (order by extract(epoch from updated_at - created_at) * 1000)
         filter (where state = case operation when 'issue' then 'accepted' else 'settled' end) as "medianMs",
       min(created_at) as "firstAt", count(*) filter (where ${isInRow})::int as "failedInARow",
       min(created_at) filter (where ${isInRow}) as "failingSince",
       coalesce(array_agg(distinct connection_uuid::text) filter (where ${isFailed}), '{}') as "failedConnections"
     from called join unnest(array[${HEALTH_PERIODS_MIN.join(', ')}]) as period (minutes)
       on created_at > now() - minutes * interval '1 minute'
     group by provider, is_simulated, operation, minutes order by is_simulated, provider, operation, minutes`,
    [
      formatTextArray(listJudgedStates('accepted')),
      formatTextArray(listJudgedStates('refused')),
      formatTextArray(PREFLIGHT_CODES),
      formatTextArray(listJudgedStates('accepted', 'refused', 'without_answer')),
    ],
  )
}

/** Query of the latest attempts of the connection `c` within the longest period. */
const RECENT_ATTEMPTS_SQL = `select * from attempt
  where connection_uuid = c.uuid and created_at > now() - interval '${HEALTH_PERIODS_MIN.at(-1)} minutes'
  order by created_at desc limit ${MAX_COUNTED_CALLS}`

/** The active connections of a provider: how many there are, how many have an open breaker, and what pauses stop of them. */
export type ProviderConnections = ProviderOfMode & {
  connections: number
  openCircuits: number
  pausedIn: number
  pausedOut: number
}

/** Counts the active connections of each provider, and those that are tried last or paused. */
export function countProviderConnections(em: EntityManager): Promise<ProviderConnections[]> {
  const isPaused = (direction: 'in' | 'out') => buildPauseCondition(direction, CONNECTION_COLUMNS)
  return em.execute(
    `select c.provider, c.is_simulated as "isSimulated", count(*)::int as connections,
       count(*) filter (where ${IS_OPEN_CIRCUIT_SQL})::int as "openCircuits",
       count(*) filter (where ${isPaused('in')})::int as "pausedIn",
       count(*) filter (where ${isPaused('out')})::int as "pausedOut"
     from connection c left join circuit_breaker b on b.connection_uuid = c.uuid
     where c.status = 'ACTIVE' group by c.provider, c.is_simulated order by c.is_simulated, c.provider`,
  )
}

type RecentAttempt = ProviderOfMode & {
  uuid: string
  operation: AttemptOperation
  subjectUuid: string
  state: AttemptState
  code: string | null
  preparedAt: string | null
  accountUuid: string
  accountName: string
  createdAt: string
  updatedAt: string
}

/** Which attempts are listed; absent members match all. */
type AttemptFilter = Partial<ProviderOfMode> & {
  operation?: AttemptOperation | undefined
  /** Those without a useful answer. */
  isFailed?: boolean
}

/** Lists the latest attempts of the longest period that called a provider, over all accounts, the latest first. */
export function listRecentAttempts(em: EntityManager, filter: AttemptFilter): Promise<RecentAttempt[]> {
  const { provider, isSimulated, operation, isFailed } = filter
  const { sql, values } = joinConditions(
    [IS_CALLED_SQL, formatTextArray(PREFLIGHT_CODES)],
    provider !== undefined && ['c.provider = ?', provider],
    isSimulated !== undefined && ['c.is_simulated = ?', isSimulated],
    operation !== undefined && ['a.operation = ?', operation],
    isFailed && ['a.state = any(?::text[])', formatTextArray(listJudgedStates('without_answer'))],
  )
  return em.execute(
    `select a.uuid, a.operation, a.subject_uuid as "subjectUuid", a.state, a.code, a.prepared_at as "preparedAt", c.provider,
       c.is_simulated as "isSimulated", n.uuid as "accountUuid", n.name as "accountName", a.created_at as "createdAt",
       a.updated_at as "updatedAt"
     from connection c join account n on n.uuid = c.account_uuid cross join lateral (${RECENT_ATTEMPTS_SQL}) a
     where ${sql} order by a.created_at desc, a.uuid limit ${MAX_LISTED_ATTEMPTS}`,
    values,
  )
}
