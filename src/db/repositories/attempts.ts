import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { EntityManager } from '../client/orm.ts'
import { Attempt, type AttemptOperation } from '../entities/attempt.ts'
import { Connection } from '../entities/connection.ts'
import { queryEntities } from '../pipeline/entity-mapper.ts'
import { batchQueries, firstRow, mapQuery, noQuery, type Query, runQuery } from '../pipeline/query.ts'
import { formatTextArray } from '../sql-conditions.ts'

/** What attempts are made of: one operation of a charge, transfer, refund, … */
export type OperationSubject = { operation: AttemptOperation; subjectUuid: string }

/** All attempts at an operation, in the order of trying; what this unit of work has begun is written first. */
export async function findAttempts(em: EntityManager, subject: OperationSubject): Promise<Attempt[]> {
  return (await findAttemptsWith(em, subject, noQuery))[0]
}

/** The same, to be asked beside others where nothing has begun yet. */
export function queryAttempts(
  em: EntityManager,
  { operation, subjectUuid }: OperationSubject,
): Query<Attempt[]> {
  return queryAttemptsWhere(em, 'r.operation = ? and r.subject_uuid = ?', [operation, subjectUuid])
}

/** The same, and what else is to be known, in one message. */
export async function findAttemptsWith<More>(
  em: EntityManager,
  subject: OperationSubject,
  more: Query<More>,
): Promise<[Attempt[], More]> {
  await flushAttempts(em)
  return runQuery(em, batchQueries(queryAttempts(em, subject), more))
}

/** The attempt at an operation through one connection, looked for among the few of its operation. */
export function queryAttemptByConnection(
  em: EntityManager,
  { connectionUuid, ...subject }: OperationSubject & { connectionUuid: string },
): Query<Attempt | undefined> {
  return mapQuery(queryAttempts(em, subject), all => all.find(one => one.connectionUuid === connectionUuid))
}

/** The attempt at a provider account that goes by our id; there is none by no id. */
export function queryAttemptByReference(
  em: EntityManager,
  { reference, providerAccountUuid }: { reference?: string | null; providerAccountUuid: string },
): Query<Attempt | undefined> {
  const named = 'r.reference = ? and r.provider_account_uuid = ?'
  return firstRow(queryAttemptsWhere(em, named, [reference ?? null, providerAccountUuid]))
}

function queryAttemptsWhere(em: EntityManager, where: string, values: (string | null)[]): Query<Attempt[]> {
  return queryEntities(em, Attempt, { rest: `where ${where} order by r.position`, values })
}

async function flushAttempts(em: EntityManager): Promise<void> {
  if (em.getUnitOfWork().shouldAutoFlush(em.getMetadata(Attempt))) await em.flush()
}

/** States in which a provider is being told, or has taken it and will say what came of it. */
export const PENDING_ATTEMPT_STATES: Attempt['state'][] = ['calling', 'accepted']

/** Cut-off of manual settlement, now − 10 min (scaled): of an attempt updated later, its provider is expected to answer. */
export function getManualSettlementCutoff(timeScale: number): Date {
  return new Date(Date.now() - scaleWait(WAITS.alertOperatorAfter, timeScale))
}

/** Where each of some charges or transfers was tried through one connection, among all attempts at it: there once or never. */
export async function findAttemptPositions(
  em: EntityManager,
  { connectionUuid, subjects }: { connectionUuid: string; subjects: string[] },
): Promise<Map<string, number>> {
  const rows = await em.execute<{ subject_uuid: string; position: number }[]>(
    `select subject_uuid, position from attempt
     where operation in ('issue', 'transfer') and subject_uuid = any(?::uuid[]) and connection_uuid = ?`,
    [formatTextArray(subjects), connectionUuid],
  )
  return new Map(rows.map(row => [row.subject_uuid, row.position]))
}

/** An attempt with the name of the provider it was made at, in the order of trying. */
export type AttemptWithProvider = { attempt: Attempt; provider: string }

/**
 * Attempts as they are shown: with the moment of their writing, so what was changed of them is written first. Connections
 * that the transaction has read already are not read again.
 */
export async function loadAttemptProviders(
  em: EntityManager,
  tried: Attempt[],
): Promise<AttemptWithProvider[]> {
  await flushAttempts(em)
  const named: AttemptWithProvider[] = []
  for (const attempt of tried) {
    const { provider } = await em.findOneOrFail(Connection, attempt.connectionUuid)
    named.push({ attempt, provider })
  }
  return named
}
