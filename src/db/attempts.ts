import { Attempt, type Operation } from './entities/attempt.ts'
import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'
import { entitiesBy } from './reading.ts'

/** What attempts are made of: one operation of a charge, transfer, refund, … */
export type Subject = { operation: Operation; subjectUuid: string }

/** All attempts at an operation, in the order of trying. */
export function attemptsAt(em: EntityManager, { operation, subjectUuid }: Subject): Promise<Attempt[]> {
  return found(em, 'r.operation = ? and r.subject_uuid = ?', [operation, subjectUuid])
}

/** The attempt at an operation through one connection. */
export async function attemptThrough(
  em: EntityManager,
  { operation, subjectUuid, connectionUuid }: Subject & { connectionUuid: string },
): Promise<Attempt | undefined> {
  const through = 'r.operation = ? and r.subject_uuid = ? and r.connection_uuid = ?'
  return (await found(em, through, [operation, subjectUuid, connectionUuid]))[0]
}

/** The attempt at a provider account that goes by our id. */
export async function attemptNamed(
  em: EntityManager,
  { subjectUuid, providerAccountUuid }: Pick<Attempt, 'subjectUuid' | 'providerAccountUuid'>,
): Promise<Attempt | undefined> {
  const named = 'r.subject_uuid = ? and r.provider_account_uuid = ?'
  return (await found(em, named, [subjectUuid, providerAccountUuid]))[0]
}

/** What this unit of work has begun is written first. */
async function found(em: EntityManager, where: string, values: string[]): Promise<Attempt[]> {
  if (em.getUnitOfWork().shouldAutoFlush(em.getMetadata(Attempt))) await em.flush()
  return entitiesBy(em, Attempt, { rest: `where ${where} order by r.position`, values })
}

/** An attempt with the name of the provider it was made at, in the order of trying. */
export type NamedAttempt = { attempt: Attempt; provider: string }

/** The attempts of a transfer; connections that its transaction has read already are not read again. */
export async function attemptsOf(em: EntityManager, transferUuid: string): Promise<NamedAttempt[]> {
  const named: NamedAttempt[] = []
  for (const attempt of await attemptsAt(em, { operation: 'transfer', subjectUuid: transferUuid })) {
    const { provider } = await em.findOneOrFail(Connection, attempt.connectionUuid)
    named.push({ attempt, provider })
  }
  return named
}
