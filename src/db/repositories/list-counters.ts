import { DAY } from '../../domain/shared/intervals.ts'
import type { CountedNoun } from '../../domain/shared/nouns.ts'
import type { EntityManager, Orm } from '../client/orm.ts'
import { selectRows } from '../pipeline/query.ts'
import { selectValue } from '../select-values.ts'
import {
  hasAnyState,
  joinConditions,
  type OptionalSqlCondition,
  type SqlCondition,
} from '../sql-conditions.ts'

/** Filter of a list whose rows the counters can count. */
export type ListCounterFilter = {
  noun: CountedNoun
  /** On `account_uuid`, and on `connection_uuid` or its placeholder. */
  conditions: OptionalSqlCondition[]
  /** Empty: all states. */
  states: readonly string[]
  /** Range of `created_at`: from a moment on, and up to another, exclusive. */
  created?: { $gte?: Date; $lt?: Date } | undefined
}

/** Placeholder of the connection in counters of rows that no connection has carried. */
export const NO_CONNECTION = '00000000-0000-0000-0000-000000000000'

/** The rows that are counted, with the columns of their counters (src/db/migrations/initial/list-counters.ts). */
const COUNTED_ROWS: Record<CountedNoun, string> = {
  charge: 'charge',
  transfer: 'transfer',
  refund: 'refund',
  recurrence: 'recurrence',
  posting: `(select account_uuid, provider_account_uuid as connection_uuid, created_at, type as state
    from posting where bucket = 'available')`,
  event: `(select account_uuid, coalesce(connection_uuid, '${NO_CONNECTION}') as connection_uuid, created_at, type as state
    from event)`,
  delivery: `(select w.account_uuid, w.uuid as connection_uuid, d.created_at, d.status as state
    from delivery d join webhook w on w.uuid = d.webhook_uuid)`,
}

/**
 * Counts rows exactly: folded counters plus the changes since, in one statement and so in one snapshot. Counters hold
 * UTC days. A range that begins or ends within one is counted up to the nearest midnight by them, and the rows of at
 * most twelve hours are added or subtracted.
 */
export async function readListCounter(em: EntityManager, filter: ListCounterFilter): Promise<number> {
  const { noun, conditions, states, created = {} } = filter
  const { $gte: from, $lt: before } = created
  if (from && before && from >= before) return 0
  const [firstDay, endDay] = [from && roundToUtcDay(from), before && roundToUtcDay(before)]
  const filters = [...conditions, states.length > 0 && hasAnyState(states)]
  const { sql, values } = joinConditions(
    ['noun = ?', noun],
    ...filters,
    firstDay && ['day >= ?', formatUtcDay(firstDay)],
    endDay && ['day < ?', formatUtcDay(endDay)],
  )
  const isOfAllDays = firstDay === undefined && endDay === undefined
  const edges = [
    ...countEdgeRows(noun, filters, from, firstDay, -1),
    ...countEdgeRows(noun, filters, before, endDay, 1),
  ]
  const [row] = await selectRows<{ total: string }>(
    em,
    `select coalesce(sum(count), 0) as total from (
       select count from list_counter where ${sql} and day ${isOfAllDays ? '=' : '<'} ${ALL_DAYS}
       union all
       select count from (
         select noun, account_uuid, connection_uuid, day, its.state, its.count
         from list_counter_change c ${JOIN_STATES} where its.state is not null
       ) changed where ${sql}
       ${edges.map(edge => `union all ${edge.sql}`).join(' ')}
     ) as counted`,
    [...values, ...values, ...edges.flatMap(edge => edge.values)],
  )
  return Number(row!.total)
}

/** Counts the rows of each state, of all days, in one statement. */
export async function readStateCounts(
  em: EntityManager,
  { noun, conditions }: Pick<ListCounterFilter, 'noun' | 'conditions'>,
): Promise<Map<string, number>> {
  const { sql, values } = joinConditions(['noun = ?', noun], ...conditions)
  const rows = await selectRows<{ state: string; total: string }>(
    em,
    `select state, sum(count) as total from (
       select state, count from list_counter where ${sql} and day = ${ALL_DAYS}
       union all
       select state, count from (
         select noun, account_uuid, connection_uuid, its.state, its.count
         from list_counter_change c ${JOIN_STATES} where its.state is not null
       ) changed where ${sql}
     ) as counted group by state`,
    [...values, ...values],
  )
  return new Map(rows.map(({ state, total }) => [state, Number(total)]))
}

/**
 * Builds the count of the rows between the end of a range and the midnight that the counters count up to. At the end of
 * the range rows after that midnight are added and rows before it subtracted; at its start (`sign` -1) the reverse.
 */
function countEdgeRows(
  noun: ListCounterFilter['noun'],
  filters: OptionalSqlCondition[],
  end: Date | undefined,
  midnight: Date | undefined,
  sign: 1 | -1,
): SqlCondition[] {
  if (!end || !midnight || end.getTime() === midnight.getTime()) return []
  const isAfter = end > midnight
  const { sql, values } = joinConditions(
    ...filters,
    ['created_at >= ?', isAfter ? midnight : end],
    ['created_at < ?', isAfter ? end : midnight],
  )
  const counted = isAfter ? sign : -sign
  return [
    {
      sql: `select ?::int * count(*) from ${COUNTED_ROWS[noun]} counted_row where ${sql}`,
      values: [counted, ...values],
    },
  ]
}

/** Returns the UTC midnight nearest to a moment, of those that `YYYY-MM-DD` can write. */
function roundToUtcDay(at: Date): Date {
  return new Date(Math.min(Math.round(at.getTime() / DAY) * DAY, LAST_DAY_MS))
}

const LAST_DAY_MS = Date.parse('9999-12-31')

function formatUtcDay(midnight: Date): string {
  return midnight.toISOString().slice(0, 10)
}

/** Joins the states that a change counts: the new one, and the one that the row left, if any. */
const JOIN_STATES =
  'cross join lateral (values (c.state, c.count), (c.left_state, -c.count)) as its (state, count)'

/** Pseudo-day under which a counter also stores the sum over all days, so that years are counted as fast as a week. */
const ALL_DAYS = `'infinity'::date`

/** Limits of one fold: changes per short transaction, and milliseconds in all; the next round folds the rest. */
const MAX_CHANGES_PER_FOLD = 50_000
const MAX_FOLD_MS = 5_000

/** Folds the oldest changes into the counters, each exactly once. Returns how many were folded. */
export async function foldListCounters(orm: Orm): Promise<number> {
  const deadline = performance.now() + MAX_FOLD_MS
  let folded = 0
  for (;;) {
    const count = await foldCounterBatch(orm)
    folded += count
    if (count < MAX_CHANGES_PER_FOLD || performance.now() > deadline) return folded
  }
}

async function foldCounterBatch(orm: Orm): Promise<number> {
  const folded = await selectValue(
    orm.em.fork(),
    `with folded as (
       delete from list_counter_change
       where ctid = any (array(select ctid from list_counter_change limit ${MAX_CHANGES_PER_FOLD}))
       returning *
     ), added as (
       insert into list_counter as t (noun, account_uuid, connection_uuid, day, state, count)
       select noun, account_uuid, connection_uuid, kept, its.state, sum(its.count)
       from folded c ${JOIN_STATES} cross join lateral (values (day), (${ALL_DAYS})) as days (kept)
       where its.state is not null
       group by noun, account_uuid, connection_uuid, kept, its.state
       having sum(its.count) <> 0
       order by noun, account_uuid, kept, connection_uuid, its.state
       on conflict (noun, account_uuid, day, connection_uuid, state) do update set count = t.count + excluded.count
     )
     select count(*) from folded`,
  )
  return Number(folded)
}
