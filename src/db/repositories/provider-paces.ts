import type { Pace, PaceKind } from '../../domain/providers/capabilities.ts'
import type { TurnRank } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { firstRow, query, runQuery } from '../pipeline/query.ts'

type PaceTurn = { providerAccountUuid: string; kind: PaceKind; pace: Pace; maxWaitMs: number }

function computeIntervals({ perSecond, burst }: Pace): { intervalMs: number; burstMs: number } {
  const intervalMs = 1_000 / perSecond
  return { intervalMs, burstMs: (burst - 1) * intervalMs }
}

/**
 * Takes the next turn of a pace, in the order of the statements of all processes: returns the milliseconds until it, or null where
 * it is further off than `maxWaitMs`; then none is taken. Each turn follows the one before by an interval, and an idle account
 * saves up to a burst of them (generic cell rate algorithm), so that one time is the whole state. `rank`: none is taken before
 * the orders and items that go first and wait for theirs (`takePacePlace`), and an item takes none that the account has saved. Run
 * outside a transaction, which would hold the turns of all processes until its end.
 */
export async function takePaceTurn(
  em: EntityManager,
  { providerAccountUuid, kind, pace, maxWaitMs, rank = 'first' }: PaceTurn & { rank?: TurnRank },
): Promise<number | null> {
  const { intervalMs, burstMs } = computeIntervals(pace)
  const savedMs = rank === 'item' || rank === 'waitingItem' ? 0 : burstMs
  const turn = await runQuery(
    em,
    firstRow(
      query(
        `insert into provider_pace as p (provider_account_uuid, kind, next_turn_at)
         values (?, ?, clock_timestamp() + ?::float8 * interval '1 ms')
         on conflict (provider_account_uuid, kind) do update
           set next_turn_at = greatest(p.next_turn_at, clock_timestamp()) + ?::float8 * interval '1 ms'
           where p.next_turn_at <= clock_timestamp() + ?::float8 * interval '1 ms'
             and (not ?::boolean or p.next_place_at <= clock_timestamp() + ?::float8 * interval '1 ms')
             and (not ?::boolean or p.next_item_at <= clock_timestamp() + ?::float8 * interval '1 ms')
         returning extract(epoch from next_turn_at - clock_timestamp())::float8 * 1000 as "nextInMs"`,
        [
          ...[providerAccountUuid, kind, intervalMs, intervalMs, savedMs + maxWaitMs],
          ...[rank !== 'first', maxWaitMs, rank === 'item', maxWaitMs],
        ],
        rows => rows as { nextInMs: number }[],
      ),
    ),
  )
  return turn ? Math.max(0, turn.nextInMs - intervalMs - savedMs) : null
}

/** Builds the statement that takes a place; `column`: of the places, `turnSql`: from when on they may be. */
function buildTakePlaceSql(column: 'next_place_at' | 'next_item_at', turnSql: string): string {
  return `update provider_pace as p set ${column} = place.at + ?::float8 * interval '1 ms'
    from (
      select greatest(${column}, ${turnSql}, clock_timestamp()) as at
      from provider_pace where provider_account_uuid = ? and kind = ? for update
    ) as place
    where p.provider_account_uuid = ? and p.kind = ?
      and place.at <= clock_timestamp() + ?::float8 * interval '1 ms'
    returning extract(epoch from place.at - clock_timestamp())::float8 * 1000 as "inMs"`
}
const TAKE_PLACE_SQL = buildTakePlaceSql('next_place_at', `next_turn_at - ?::float8 * interval '1 ms'`)
// Items take none of the burst, and go after the orders that wait.
const TAKE_ITEM_PLACE_SQL = buildTakePlaceSql('next_item_at', 'next_turn_at, next_place_at')

/**
 * Takes a place among the orders that wait for their turn of a pace, or among the items of batches (`isItem`), after all that have one: returns the milliseconds until the turn
 * that it is expected to get, or null where that is further off than `maxWaitMs`; then no place is taken. A place is no turn, which
 * the order takes when it is called again: so calls that cannot wait still find turns, and a delayed order breaks no pace. Called
 * after `takePaceTurn` has returned null; run outside a transaction.
 */
export async function takePacePlace(
  em: EntityManager,
  { providerAccountUuid, kind, pace, maxWaitMs, isItem = false }: PaceTurn & { isItem?: boolean },
): Promise<number | null> {
  const { intervalMs, burstMs } = computeIntervals(pace)
  const place = await runQuery(
    em,
    firstRow(
      query(
        isItem ? TAKE_ITEM_PLACE_SQL : TAKE_PLACE_SQL,
        [
          ...[intervalMs, ...(isItem ? [] : [burstMs]), providerAccountUuid, kind],
          ...[providerAccountUuid, kind, maxWaitMs],
        ],
        rows => rows as { inMs: number }[],
      ),
    ),
  )
  return place ? Math.max(0, place.inMs) : null
}
