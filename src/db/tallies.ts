import type { EntityManager, Orm } from './orm.ts'

/** What a list asks of its noun, where only this much is asked. */
export type Tallied = {
  noun: 'charge' | 'transfer'
  accountUuid: string
  connectionUuids: string[]
  /** Only what simulators carry, or only what real providers do; both where absent. */
  isSimulated?: boolean | undefined
  states: string[]
  /** `YYYY-MM-DD`, UTC, both included. */
  createdFrom?: string | undefined
  createdTo?: string | undefined
}

/** How many there are, exactly: what is folded and what has changed since, as one moment saw them. */
export async function countTallied(em: EntityManager, asked: Tallied): Promise<number> {
  const conditions = ['noun = ?', 'account_uuid = ?']
  const values: unknown[] = [asked.noun, asked.accountUuid]
  const also = (condition: string, value: unknown) => {
    conditions.push(condition)
    values.push(value)
  }
  if (asked.connectionUuids.length > 0) also('connection_uuid = any(array[?]::uuid[])', asked.connectionUuids)
  if (asked.isSimulated !== undefined)
    also(
      'exists (select from connection c where c.uuid = connection_uuid and c.is_simulated = ?)',
      asked.isSimulated,
    )
  if (asked.states.length > 0) also('state = any(array[?])', asked.states)
  if (asked.createdFrom !== undefined) also('day >= ?', asked.createdFrom)
  if (asked.createdTo !== undefined) also('day <= ?', asked.createdTo)
  const where = conditions.join(' and ')
  const isOfAllDays = asked.createdFrom === undefined && asked.createdTo === undefined
  const [row] = await em.execute<{ total: string }[]>(
    `select coalesce(sum(count), 0) as total from (
       select count from tally where ${where} and day ${isOfAllDays ? '=' : '<'} ${ALL_DAYS}
       union all
       select count from tally_delta where ${where}
     ) as counted`,
    [...values, ...values],
  )
  return Number(row!.total)
}

/** The day under which a tally also keeps the sum of all its days, so that years are counted as fast as a week. */
const ALL_DAYS = `'infinity'::date`

/** At most so many at a time: a fold is a short transaction. */
const MOST = 50_000

/** Folds the oldest changes into the tallies; who asks meanwhile sees them before or after, never twice. */
export async function foldTallies(orm: Orm): Promise<number> {
  const [row] = await orm.em.fork().execute<{ folded: string }[]>(
    `with folded as (
       delete from tally_delta where id in (
         select id from tally_delta order by id limit ${MOST} for update skip locked
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
