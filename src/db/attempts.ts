import { Attempt } from './entities/attempt.ts'
import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'

/** An attempt with the name of the provider it was made at, in the order of trying. */
export type NamedAttempt = { attempt: Attempt; provider: string }

/** Through whom attempts are looked at: of one connection, or null for all. */
type Seen = { connectionUuid: string | null }

/** The attempts of some transfers, by the transfer's uuid, in two statements whatever their number. */
export async function attemptsOfAll(
  em: EntityManager,
  uuids: string[],
  { connectionUuid }: Seen = { connectionUuid: null },
): Promise<Map<string, NamedAttempt[]>> {
  const attempts = await em.find(
    Attempt,
    {
      operation: 'transfer',
      subjectUuid: { $in: uuids },
      ...(connectionUuid !== null && { connectionUuid }),
    },
    { orderBy: { position: 'asc' } },
  )
  const used = await em.find(Connection, { uuid: { $in: attempts.map(attempt => attempt.connectionUuid) } })
  const names = new Map(used.map(connection => [connection.uuid, connection.provider]))
  const named = attempts.map(attempt => ({ attempt, provider: names.get(attempt.connectionUuid) ?? '' }))
  return Map.groupBy(named, one => one.attempt.subjectUuid)
}

export async function attemptsOf(
  em: EntityManager,
  transferUuid: string,
  seen?: Seen,
): Promise<NamedAttempt[]> {
  return (await attemptsOfAll(em, [transferUuid], seen)).get(transferUuid) ?? []
}
