import { scaled, WAITS } from '../domain/waits.ts'
import { Attempt, type Operation } from './entities/attempt.ts'
import { Connection } from './entities/connection.ts'
import type { EntityManager } from './orm.ts'
import { all, ask, first, heardAs, NOTHING, type Question } from './questions.ts'
import { entities } from './reading.ts'
import { textArray } from './where.ts'

/** What attempts are made of: one operation of a charge, transfer, refund, … */
export type Subject = { operation: Operation; subjectUuid: string }

/** All attempts at an operation, in the order of trying; what this unit of work has begun is written first. */
export async function attemptsAt(em: EntityManager, subject: Subject): Promise<Attempt[]> {
  return (await attemptsBeside(em, subject, NOTHING))[0]
}

/** The same, to be asked beside others where nothing has begun yet. */
export function attemptsOf(em: EntityManager, { operation, subjectUuid }: Subject): Question<Attempt[]> {
  return found(em, 'r.operation = ? and r.subject_uuid = ?', [operation, subjectUuid])
}

/** The same, and what else is to be known, in one message. */
export async function attemptsBeside<More>(
  em: EntityManager,
  subject: Subject,
  more: Question<More>,
): Promise<[Attempt[], More]> {
  await writeAttempts(em)
  return ask(em, all(attemptsOf(em, subject), more))
}

/** The attempt at an operation through one connection, looked for among the few of its operation. */
export function attemptThrough(
  em: EntityManager,
  { connectionUuid, ...subject }: Subject & { connectionUuid: string },
): Question<Attempt | undefined> {
  return heardAs(attemptsOf(em, subject), all => all.find(one => one.connectionUuid === connectionUuid))
}

/** The attempt at a provider account that goes by our id; there is none by no id. */
export function attemptNamed(
  em: EntityManager,
  { reference, providerAccountUuid }: { reference?: string | null; providerAccountUuid: string },
): Question<Attempt | undefined> {
  const named = 'r.reference = ? and r.provider_account_uuid = ?'
  return first(found(em, named, [reference ?? null, providerAccountUuid]))
}

function found(em: EntityManager, where: string, values: (string | null)[]): Question<Attempt[]> {
  return entities(em, Attempt, { rest: `where ${where} order by r.position`, values })
}

async function writeAttempts(em: EntityManager): Promise<void> {
  if (em.getUnitOfWork().shouldAutoFlush(em.getMetadata(Attempt))) await em.flush()
}

/** States in which a provider is being told, or has taken it and will say what came of it. */
export const UNDER_WAY: Attempt['state'][] = ['calling', 'accepted']

/** Cut-off of manual settlement, now − 10 min (scaled): of an attempt updated later, its provider is expected to answer. */
export function silentSince(timeScale: number): Date {
  return new Date(Date.now() - scaled(WAITS.tellOperator, timeScale))
}

/** Where each of some charges or transfers was tried through one connection, among all attempts at it: there once or never. */
export async function placesThrough(
  em: EntityManager,
  { connectionUuid, subjects }: { connectionUuid: string; subjects: string[] },
): Promise<Map<string, number>> {
  const rows = await em.execute<{ subject_uuid: string; position: number }[]>(
    `select subject_uuid, position from attempt
     where operation in ('issue', 'transfer') and subject_uuid = any(?::uuid[]) and connection_uuid = ?`,
    [textArray(subjects), connectionUuid],
  )
  return new Map(rows.map(row => [row.subject_uuid, row.position]))
}

/** An attempt with the name of the provider it was made at, in the order of trying. */
export type NamedAttempt = { attempt: Attempt; provider: string }

/**
 * Attempts as they are shown: with the moment of their writing, so what was changed of them is written first. Connections
 * that the transaction has read already are not read again.
 */
export async function namedAttempts(em: EntityManager, tried: Attempt[]): Promise<NamedAttempt[]> {
  await writeAttempts(em)
  const named: NamedAttempt[] = []
  for (const attempt of tried) {
    const { provider } = await em.findOneOrFail(Connection, attempt.connectionUuid)
    named.push({ attempt, provider })
  }
  return named
}
