import type { EntityManager, Orm } from '../client/orm.ts'
import { selectRows } from '../pipeline/query.ts'
import { selectValue } from '../select-values.ts'
import { hasAnyState, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** Filter of a list whose rows the counters can count. */
export type ListCounterFilter = {
  noun: 'charge' | 'transfer' | 'posting' | 'event' | 'delivery'
  /** On `account_uuid`, and on `connection_uuid` or its placeholder. */
  conditions: OptionalSqlCondition[]
  /** Empty: all states. */
  states: readonly string[]
  /** `YYYY-MM-DD`, UTC, both inclusive. */
  createdFrom?: string | undefined
  createdTo?: string | undefined
}

/** Placeholder of the connection in counters of rows that no connection has carried. */
export const NO_CONNECTION = '00000000-0000-0000-0000-000000000000'

/** Counts rows exactly: folded counters plus the changes since, in one statement and so in one snapshot. */
export async function readListCounter(
  em: EntityManager,
  { noun, conditions, states, createdFrom, createdTo }: ListCounterFilter,
): Promise<number> {
  const { sql, values } = joinConditions(
    ['noun = ?', noun],
    ...conditions,
    states.length > 0 && hasAnyState(states),
    createdFrom !== undefined && ['day >= ?', createdFrom],
    createdTo !== undefined && ['day <= ?', createdTo],
  )
  const isOfAllDays = createdFrom === undefined && createdTo === undefined
  const [row] = await selectRows<{ total: string }>(
    em,
    `select coalesce(sum(count), 0) as total from (
       select count from list_counter where ${sql} and day ${isOfAllDays ? '=' : '<'} ${ALL_DAYS}
       union all
       select count from (
         select noun, account_uuid, connection_uuid, day, its.state, its.count
         from list_counter_change c ${JOIN_STATES} where its.state is not null
       ) changed where ${sql}
     ) as counted`,
    [...values, ...values],
  )
  return Number(row!.total)
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
  const deadline = Date.now() + MAX_FOLD_MS
  let folded = 0
  for (;;) {
    const count = await foldCounterBatch(orm)
    folded += count
    if (count < MAX_CHANGES_PER_FOLD || Date.now() > deadline) return folded
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
