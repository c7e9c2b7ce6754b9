import type { Pace, PaceKind } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { firstRow, query, runQuery } from '../pipeline/query.ts'

type PaceTurn = { providerAccountUuid: string; kind: PaceKind; pace: Pace; maxWaitMs: number }

/**
 * Takes the next turn of a pace, in the order of the statements of all processes: returns the milliseconds until it, or null where
 * it is further off than `maxWaitMs`; then none is taken. Each turn follows the one before by an interval, and an idle account
 * saves up to a burst of them (generic cell rate algorithm), so that one time is the whole state. Run outside a transaction, which
 * would hold the turns of all processes until its end.
 */
export async function takePaceTurn(
  em: EntityManager,
  { providerAccountUuid, kind, pace, maxWaitMs }: PaceTurn,
): Promise<number | null> {
  const intervalMs = 1_000 / pace.perSecond
  const burstMs = (pace.burst - 1) * intervalMs
  const turn = await runQuery(
    em,
    firstRow(
      query(
        `insert into provider_pace as p (provider_account_uuid, kind, next_turn_at)
         values (?, ?, clock_timestamp() + ?::float8 * interval '1 ms')
         on conflict (provider_account_uuid, kind) do update
           set next_turn_at = greatest(p.next_turn_at, clock_timestamp()) + ?::float8 * interval '1 ms'
           where p.next_turn_at <= clock_timestamp() + ?::float8 * interval '1 ms'
         returning extract(epoch from next_turn_at - clock_timestamp())::float8 * 1000 as "nextInMs"`,
        [providerAccountUuid, kind, intervalMs, intervalMs, burstMs + maxWaitMs],
        rows => rows as { nextInMs: number }[],
      ),
    ),
  )
  return turn ? Math.max(0, turn.nextInMs - intervalMs - burstMs) : null
}
