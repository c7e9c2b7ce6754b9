import type { FilterQuery } from '@mikro-orm/core'
import { uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { AttemptOperation } from '../../domain/providers/attempt.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { EntityManager } from '../client/orm.ts'
import { Attempt } from '../entities/attempt.ts'
import { Connection } from '../entities/connection.ts'
import { queryEntities } from '../pipeline/entity-mapper.ts'
import {
  batchQueries,
  firstRow,
  mapQuery,
  noQuery,
  type Query,
  runQuery,
  sendChanges,
} from '../pipeline/query.ts'

/** Subject of attempts: one operation of a charge, transfer, refund, … */
export type OperationSubject = { operation: AttemptOperation; subjectUuid: string }

/** Finds all attempts at an operation by position; flushes pending changes of the unit of work first. */
export async function findAttempts(em: EntityManager, subject: OperationSubject): Promise<Attempt[]> {
  return (await findAttemptsWith(em, subject, noQuery))[0]
}

/** Queries all attempts at an operation, for a batch; the caller has no pending changes of attempts. */
export function queryAttempts(
  em: EntityManager,
  { operation, subjectUuid }: OperationSubject,
): Query<Attempt[]> {
  return queryAttemptsWhere(em, 'r.operation = ? and r.subject_uuid = ?', [operation, subjectUuid])
}

/** Finds all attempts at an operation and runs another query in the same round trip. */
export async function findAttemptsWith<More>(
  em: EntityManager,
  subject: OperationSubject,
  more: Query<More>,
): Promise<[Attempt[], More]> {
  await flushAttempts(em)
  return runQuery(em, batchQueries(queryAttempts(em, subject), more))
}

/** Queries the attempt at an operation through one connection, found among the few attempts at the operation. */
export function queryAttemptByConnection(
  em: EntityManager,
  { connectionUuid, ...subject }: OperationSubject & { connectionUuid: string },
): Query<Attempt | undefined> {
  return mapQuery(queryAttempts(em, subject), all => all.find(one => one.connectionUuid === connectionUuid))
}

/**
 * Queries the attempt at a provider account by our reference, or by the provider's own id of a payout; undefined where the
 * reference is neither.
 */
export function queryAttemptByReference(
  em: EntityManager,
  { reference, providerAccountUuid }: { reference?: string | null; providerAccountUuid: string },
): Query<Attempt | undefined> {
  const subjectUuid = uuidFromReference(reference ?? '')
  const column = subjectUuid === null ? 'provider_ref' : 'subject_uuid'
  const condition = `r.${column} = ? and r.provider_account_uuid = ?`
  return firstRow(queryAttemptsWhere(em, condition, [subjectUuid ?? reference ?? null, providerAccountUuid]))
}

/** Finds the attempt at a transfer that its provider has prepared under this end-to-end id. */
export function findPreparedTransfer(
  em: EntityManager,
  { providerAccountUuid, endToEnd }: { providerAccountUuid: string; endToEnd: string },
): Promise<Attempt | null> {
  return em.findOne(Attempt, {
    endToEnd,
    providerAccountUuid,
    operation: 'transfer',
    preparedAt: { $ne: null },
  })
}

type SubjectsAtAccount = { providerAccountUuid: string; uuids: string[] }

/** Finds the payouts at a provider account among these uuids that have settled and whose end-to-end id is unknown. */
export function findAttemptsWithoutId(em: EntityManager, subjects: SubjectsAtAccount): Promise<Attempt[]> {
  return findPayoutAttempts(em, subjects, { state: { $in: ['settled', 'duplicate'] }, endToEnd: null })
}

/** Finds the payouts at a provider account among these uuids that were sent and ended without a settlement. */
export function findUnsettledAttempts(em: EntityManager, subjects: SubjectsAtAccount): Promise<Attempt[]> {
  return findPayoutAttempts(em, subjects, {
    state: { $in: ['rejected', 'unreachable'] },
    sendings: { $gt: 0 },
  })
}

function findPayoutAttempts(
  em: EntityManager,
  { providerAccountUuid, uuids }: SubjectsAtAccount,
  where: FilterQuery<Attempt>,
): Promise<Attempt[]> {
  const payouts: FilterQuery<Attempt> = {
    operation: { $in: ['transfer', 'refund', 'return'] },
    subjectUuid: { $in: uuids },
    providerAccountUuid,
  }
  return em.find(Attempt, { $and: [payouts, where] }, { orderBy: { position: 'asc' } })
}

function queryAttemptsWhere(em: EntityManager, where: string, values: (string | null)[]): Query<Attempt[]> {
  return queryEntities(em, Attempt, { rest: `where ${where} order by r.position`, values })
}

async function flushAttempts(em: EntityManager): Promise<void> {
  if (em.getUnitOfWork().shouldAutoFlush(em.getMetadata(Attempt))) await sendChanges(em)
}

/** States in which the provider is being called, or has accepted the order and will report its outcome. */
export const PENDING_ATTEMPT_STATES: Attempt['state'][] = ['calling', 'accepted']

/**
 * Returns the cut-off of manual settlement, now − 10 min (scaled): of an attempt updated later, the provider is still
 * expected to answer.
 */
export function getManualSettlementCutoff(timeScale: number): Date {
  return new Date(Date.now() - scaleWait(WAITS.alertOperatorAfter, timeScale))
}

/** Finds the position of the attempt through one connection, per charge or transfer; each has at most one. */
export async function findAttemptPositions(
  em: EntityManager,
  { connectionUuid, subjects }: { connectionUuid: string; subjects: string[] },
): Promise<Map<string, number>> {
  const attempts = await em.find(
    Attempt,
    { operation: { $in: ['issue', 'transfer'] }, subjectUuid: { $in: subjects }, connectionUuid },
    { fields: ['subjectUuid', 'position'], disableIdentityMap: true },
  )
  return new Map(attempts.map(({ subjectUuid, position }) => [subjectUuid, position]))
}

/** An attempt with the name of its provider. */
export type AttemptWithProvider = { attempt: Attempt; provider: string }

/**
 * Loads the provider names of attempts. Flushes pending changes first, so that the attempts show their new
 * `updatedAt`; reads no connection that the unit of work has loaded.
 */
export async function loadAttemptProviders(
  em: EntityManager,
  attempts: Attempt[],
): Promise<AttemptWithProvider[]> {
  await flushAttempts(em)
  const result: AttemptWithProvider[] = []
  for (const attempt of attempts) {
    const { provider } = await em.findOneOrFail(Connection, attempt.connectionUuid)
    result.push({ attempt, provider })
  }
  return result
}
