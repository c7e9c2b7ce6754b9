import type { EntityManager, Orm } from '../client/orm.ts'
import { formatTextArray, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** What a list asks of its noun, where only this much is asked. */
export type ListCounterFilter = {
  noun: 'charge' | 'transfer' | 'posting' | 'event' | 'delivery'
  /** On `account_uuid`, and on `connection_uuid` or what stands in its place. */
  conditions: OptionalSqlCondition[]
  /** All of them where none is named. */
  states: readonly string[]
  /** `YYYY-MM-DD`, UTC, both included. */
  createdFrom?: string | undefined
  createdTo?: string | undefined
}

/** Stands for the connection of what none has carried. */
export const NO_CONNECTION = '00000000-0000-0000-0000-000000000000'

/** How many there are, exactly: what is folded and what has changed since, as one moment saw them. */
export async function readListCounter(
  em: EntityManager,
  { noun, conditions: of, states, createdFrom, createdTo }: ListCounterFilter,
): Promise<number> {
  const { sql, values } = joinConditions(
    ['noun = ?', noun],
    ...of,
    states.length > 0 && ['state = any(?::text[])', formatTextArray(states)],
    createdFrom !== undefined && ['day >= ?', createdFrom],
    createdTo !== undefined && ['day <= ?', createdTo],
  )
  const isOfAllDays = createdFrom === undefined && createdTo === undefined
  const [row] = await em.execute<{ total: string }[]>(
    `select coalesce(sum(count), 0) as total from (
       select count from tally where ${sql} and day ${isOfAllDays ? '=' : '<'} ${ALL_DAYS}
       union all
       select count from tally_delta where ${sql}
     ) as counted`,
    [...values, ...values],
  )
  return Number(row!.total)
}

/** The day under which a tally also keeps the sum of all its days, so that years are counted as fast as a week. */
const ALL_DAYS = `'infinity'::date`

/** At most so many at a time, each time a short transaction, for so long: whatever is left waits for the next round. */
const MAX_CHANGES_PER_FOLD = 50_000
const MAX_FOLD_MS = 5_000

/** Folds the oldest changes into the tallies; who asks meanwhile sees them before or after, never twice. */
export async function foldListCounters(orm: Orm): Promise<number> {
  const until = Date.now() + MAX_FOLD_MS
  let folded = 0
  for (;;) {
    const some = await foldCounterBatch(orm)
    folded += some
    if (some < MAX_CHANGES_PER_FOLD || Date.now() > until) return folded
  }
}

async function foldCounterBatch(orm: Orm): Promise<number> {
  const [row] = await orm.em.fork().execute<{ folded: string }[]>(
    `with folded as (
       delete from tally_delta where id in (
         select id from tally_delta order by id limit ${MAX_CHANGES_PER_FOLD} for update skip locked
       )
       returning noun, account_uuid, connection_uuid, day, state, count
     ), added as (
       insert into tally as t (noun, account_uuid, connection_uuid, day, state, count)
       select noun, account_uuid, connection_uuid, kept, state, sum(count)
       from folded cross join lateral (values (day), (${ALL_DAYS})) as its (kept)
       group by noun, account_uuid, connection_uuid, kept, state
       having sum(count) <> 0
       order by noun, account_uuid, kept, connection_uuid, state
       on conflict (noun, account_uuid, day, connection_uuid, state) do update set count = t.count + excluded.count
     )
     select count(*) as folded from folded`,
  )
  return Number(row!.folded)
}
