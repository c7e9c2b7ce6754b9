import { Attempt } from './entities/attempt.ts'
import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'

/** An attempt with the name of the provider it was made at, in the order of trying. */
export type NamedAttempt = { attempt: Attempt; provider: string }

/** The attempts of a transfer; connections that its transaction has read already are not read again. */
export async function attemptsOf(em: EntityManager, transferUuid: string): Promise<NamedAttempt[]> {
  const attempts = await em.find(
    Attempt,
    { operation: 'transfer', subjectUuid: transferUuid },
    { orderBy: { position: 'asc' } },
  )
  const named: NamedAttempt[] = []
  for (const attempt of attempts) {
    const { provider } = await em.findOneOrFail(Connection, attempt.connectionUuid)
    named.push({ attempt, provider })
  }
  return named
}
