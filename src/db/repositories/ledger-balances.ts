import type { LedgerLineType } from '../../domain/ledger/movement.ts'
import type { Party } from '../../domain/pix/party.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { joinConditions, type SqlCondition } from '../sql-conditions.ts'
import {
  buildConnectionJoin,
  buildScopeConditions,
  type DayRange,
  type LedgerScope,
  MAX_TRANSACTION_OVERLAP,
} from './ledger-lines.ts'

/** Lines of one type in a period, in centavos, neither negative. */
type LedgerTotal = { type: LedgerLineType; inCents: number; outCents: number; count: number }

/** The available balance at one provider account before a moment. */
export type LedgerOpening = {
  connection_uuid: string
  provider: ProviderName
  virtual_account: Party | null
  opening_cents: number
}
/** The same before a period, and what the period's lines add to it. */
export type LedgerPeriod = LedgerOpening & { totals: LedgerTotal[] }

/** Reads the balance before a moment at each provider account of the scope. Its cost does not depend on its lines. */
export function readLedgerOpenings(
  em: EntityManager,
  scope: LedgerScope,
  before: Date = FIRST_MOMENT,
): Promise<LedgerOpening[]> {
  const openings = selectOpenings(scope, before)
  return em.execute(
    `select ${OPENING_COLUMNS_SQL} from ${openings.sql} order by c.created_at, c.uuid`,
    openings.values,
  )
}

/**
 * Reads a period at each provider account of the scope, in one statement and so in one snapshot. Its lines are added up
 * in one pass over the index, of all provider accounts together.
 */
export function readLedgerPeriods(
  em: EntityManager,
  scope: LedgerScope,
  { $gte = FIRST_MOMENT, $lt = LAST_MOMENT }: DayRange = {},
): Promise<LedgerPeriod[]> {
  const openings = selectOpenings(scope, $gte)
  const lines = joinConditions(
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
    ['created_at >= ?', $gte],
    ['created_at < ?', $lt],
  )
  return em.execute(
    `select ${OPENING_COLUMNS_SQL}, coalesce(period.totals, '[]') as totals
     from ${openings.sql}
     left join (
       select provider_account_uuid, jsonb_agg(jsonb_build_object('type', type, 'inCents', added, 'outCents', removed,
         'count', count) order by type) as totals
       from (
         select provider_account_uuid, type, coalesce(sum(cents) filter (where cents > 0), 0) as added,
           coalesce(-sum(cents) filter (where cents < 0), 0) as removed, count(*) as count
         from posting where ${lines.sql} group by provider_account_uuid, type
       ) sums group by provider_account_uuid
     ) period using (provider_account_uuid)
     order by c.created_at, c.uuid`,
    [...openings.values, ...lines.values],
  )
}

const OPENING_COLUMNS_SQL =
  'c.uuid as connection_uuid, c.provider, c.virtual_account, opening.cents::float8 as opening_cents'

/** Selects the provider accounts `p` of a scope, the account's connection `c` to each, and the balance before a moment. */
function selectOpenings(scope: LedgerScope, before: Date): SqlCondition {
  const { sql, values } = joinConditions(
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
  )
  return {
    sql: `(select account_uuid, provider_account_uuid from balance where ${sql}) p
     join ${buildConnectionJoin()}
     join ${OPENING_SQL}`,
    values: [...values, scope.connectionUuid, before, before],
  }
}

const FIRST_MOMENT = new Date('0001-01-01T00:00:00Z')
const LAST_MOMENT = new Date('9999-12-31T23:59:59.999Z')

const OF_PLACE_SQL = `account_uuid = p.account_uuid and provider_account_uuid = p.provider_account_uuid and bucket = 'available'`

/**
 * Sums the lines before a moment. Lines have the order of their numbers, and the time at which their transactions
 * began, so that some of a later number are earlier. The balance after any line that is older than the longest
 * transaction holds all lines of lower numbers, all of which are before the moment; the others are added.
 */
const OPENING_SQL = `lateral (
  select coalesce(known.balance_cents, 0) + coalesce((
    select sum(cents) from posting where ${OF_PLACE_SQL} and created_at < ? and id > coalesce(known.id, 0)
      and created_at > coalesce(known.created_at - ${MAX_TRANSACTION_OVERLAP}, '-infinity')
  ), 0) as cents
  from (values (true)) always left join lateral (
    select id, balance_cents, created_at from posting
    where ${OF_PLACE_SQL} and created_at < ?::timestamptz - ${MAX_TRANSACTION_OVERLAP} order by created_at desc limit 1
  ) known on true
) opening on true`
