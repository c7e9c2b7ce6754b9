import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { findAttempts } from '../../db/repositories/attempts.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { lockRecurrence } from '../../db/repositories/recurrences.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { computeQuotedFeeCents } from '../../domain/ledger/money.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { isEndedAttempt } from '../../domain/providers/attempt.ts'
import type {
  CreateRecurrenceOutcome,
  PayerAccount,
  ProviderRecurrence,
  ProviderRecurrenceRequest,
  SentRecurrence,
} from '../../domain/providers/provider-recurrence.ts'
import type { Sealer } from '../../security/sealing.ts'
import type {
  CreateRecurrenceInput,
  CreateRecurrenceResult,
  LookUpRecurrenceResult,
  RecurrenceSnapshot,
} from '../../workflows/contracts/recurrences.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import {
  blockedReason,
  clearUnknownMarks,
  createAttempt,
  describeRefusal,
  recordRefusedAnswer,
} from '../shared/attempts.ts'
import {
  callRepeatably,
  guardNotFoundByEpoch,
  loadProviderConnection,
  recordCall,
} from '../shared/provider-client.ts'
import { transitionAttempt } from '../shared/transition.ts'
import { findFirstCharge } from './first-charge.ts'
import { applyReport, changeRecurrence, readSnapshot } from './state.ts'

/**
 * Creates a recurrence at one provider. The attempt is stored before the call; one without an answer is called again only with
 * `isAbsenceProved`. PostgreSQL allows one attempt at a time that may have succeeded (`attempt_one_active`), so that no recurrence is ever
 * at two providers.
 */
export function createRecurrenceAtProvider(dependencies: ActivityDependencies) {
  return async (input: CreateRecurrenceInput): Promise<CreateRecurrenceResult> => {
    const { orm } = dependencies
    const { uuid, connectionUuid } = input
    const preparation = await runInTransaction(orm, em => prepareCreation(dependencies, em, input))
    if (preparation.kind !== 'call') return preparation
    const em = orm.em.fork()
    const { connection, provider } = await loadProviderConnection(dependencies, em, connectionUuid)
    const outcome = (await provider.createRecurrence?.(preparation.order)) ?? NOT_SUPPORTED
    if (await recordCall(dependencies, em, connection, outcome))
      return runInTransaction(orm, tx => deleteUnsentAttempt(tx, input))
    return runInTransaction(orm, tx => recordCreation(tx, { uuid, connectionUuid, outcome }))
  }
}

/** Looks a recurrence up whose creation has no answer, by our id among those of its debtor. */
export function lookUpRecurrence(dependencies: ActivityDependencies) {
  return async ({ uuid, connectionUuid }: CreateRecurrenceInput): Promise<LookUpRecurrenceResult> => {
    const { orm } = dependencies
    const em = orm.em.fork()
    const sent = describeSent(await em.findOneOrFail(Recurrence, uuid))
    const call = await callRepeatably(
      dependencies,
      em,
      connectionUuid,
      async provider => (await provider.findRecurrence?.(sent)) ?? NOT_SUPPORTED_LOOK_UP,
    )
    return runInTransaction(orm, async (tx): Promise<LookUpRecurrenceResult> => {
      const row = await lockRecurrence(tx, uuid)
      const attempt = await findAttempt(tx, { uuid, connectionUuid })
      if (row.state !== 'creating' || !attempt) return readKnown(tx, row)
      const answer = guardNotFoundByEpoch(call.answer, { attempt, connection: call.connection })
      if (answer.kind === 'not_found') return answer
      if (answer.kind === 'no_answer') return { kind: 'unknown', code: answer.code }
      return recordCreated(tx, row, { attempt, report: answer.recurrence })
    })
  }
}

/** Fails a recurrence that no candidate has created. */
export function failRecurrence({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<RecurrenceSnapshot> =>
    runInTransaction(orm, async em => {
      const row = await lockRecurrence(em, uuid)
      if (row.state !== 'creating') return readSnapshot(em, row)
      row.failure = await findFailure(em, row)
      await changeRecurrence(em, row, 'no_provider_created')
      return readSnapshot(em, row)
    })
}

/** Finds why no candidate has created a recurrence: the refusal of the last one, or why its first charge was not issued. */
async function findFailure(em: EntityManager, row: Recurrence): Promise<OperationFailure> {
  const attempts = await findAttempts(em, { operation: 'create_recurrence', subjectUuid: row.uuid })
  const last = attempts.at(-1)
  if (last && attempts.every(({ state }) => state === 'rejected'))
    return { ...describeRefusal(last), provider: row.connection.provider }
  const firstCharge = last ? null : await findFirstCharge(em, row)
  if (!firstCharge?.failure) return failureOf('no_provider_available')
  const { attempts: _, ...failure } = firstCharge.failure
  return failure
}

/** Describes a recurrence to its provider for a look-up. */
export function describeSent(row: Recurrence): SentRecurrence {
  return {
    reference: referenceOf(row.uuid),
    debtor: describeDebtor(row),
    railId: row.railId ?? null,
    orderedAt: row.createdAt.toISOString(),
    ...describeFirstCharge(row),
  }
}

function describeFirstCharge({ firstChargeUuid }: Recurrence) {
  return firstChargeUuid == null ? {} : { firstChargeReference: referenceOf(firstChargeUuid) }
}

function describeDebtor({ debtorName: name, debtorDocument: document, debtorAddress: address }: Recurrence) {
  return { name, document, ...(address && { address }) }
}

const NOT_SUPPORTED = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'not_supported',
  message: 'The provider has no recurrences',
  refusedBy: 'service',
} as const
export const NOT_SUPPORTED_LOOK_UP = {
  kind: 'no_answer',
  code: 'not_supported',
  message: 'The provider has no recurrences',
} as const

type AttemptKey = Pick<CreateRecurrenceInput, 'uuid' | 'connectionUuid'>

function findAttempt(em: EntityManager, { uuid, connectionUuid }: AttemptKey): Promise<Attempt | undefined> {
  return findAttempts(em, { operation: 'create_recurrence', subjectUuid: uuid }).then(attempts =>
    attempts.find(attempt => attempt.connectionUuid === connectionUuid),
  )
}

/** Prepares the call under the row lock: `call`, with the attempt stored, or the result without a call. */
async function prepareCreation(
  { sealer }: ActivityDependencies,
  em: EntityManager,
  { uuid, connectionUuid, isAbsenceProved = false }: CreateRecurrenceInput,
): Promise<CreateRecurrenceResult | { kind: 'call'; order: ProviderRecurrenceRequest }> {
  const row = await lockRecurrence(em, uuid)
  if (row.state !== 'creating') return readKnown(em, row)
  const connection = await em.findOneOrFail(Connection, connectionUuid)
  const attempts = await findAttempts(em, { operation: 'create_recurrence', subjectUuid: uuid })
  const attempt = attempts.find(one => one.connectionUuid === connectionUuid)
  switch (attempt?.state) {
    case undefined:
      break
    case 'rejected':
    case 'unreachable':
      return { kind: 'refused' }
    default:
      if (!isAbsenceProved) return { kind: 'unknown', code: 'interrupted' }
      transitionAttempt(attempt!, 'called')
      return { kind: 'call', order: describeOrder(sealer, row, connection) }
  }
  const subject = { operation: 'create_recurrence', subjectUuid: uuid, position: attempts.length } as const
  const newAttempt = createAttempt(em, subject, connection)
  const isPaused = await runQuery(em, queryIsPaused(connectionUuid, 'in'))
  const blocked = blockedReason('create_recurrence', connection, { isPaused })
  if (blocked) {
    recordRefusedAnswer(newAttempt, blocked)
    return { kind: 'refused' }
  }
  assignConnection(row, connection)
  return { kind: 'call', order: describeOrder(sealer, row, connection) }
}

/** Assigns a recurrence the connection at which it is created, with its fee. The caller holds the row lock. */
function assignConnection(row: Recurrence, connection: Connection): void {
  row.connection = connection
  row.providerAccountUuid = connection.providerAccountUuid
  // What the payer authorizes is value and fee; the table of fees may change before the answer.
  row.feeCents = row.valueCents == null ? 0 : computeQuotedFeeCents(row.valueCents, connection.fees)
}

function describeOrder(
  sealer: Sealer,
  row: Recurrence,
  { collectionKey }: Connection,
): ProviderRecurrenceRequest {
  const { valueCents, minimumCents, subject, endsOn, sealedPayerAccount, requestExpiresAt } = row
  return {
    reference: referenceOf(row.uuid),
    debtor: describeDebtor(row),
    frequency: row.frequency,
    startsOn: row.startsOn,
    retryPolicy: row.retryPolicy,
    journey: row.journey,
    collectionKey: collectionKey ?? null,
    ...(subject != null && { subject }),
    ...(endsOn != null && { endsOn }),
    ...(valueCents != null && { valueCents: valueCents + row.feeCents }),
    ...(minimumCents != null && { minimumCents }),
    ...describeFirstCharge(row),
    ...(sealedPayerAccount &&
      requestExpiresAt && {
        consentRequest: {
          payerAccount: sealer.open<PayerAccount>(sealedPayerAccount),
          expiresAt: requestExpiresAt.toISOString(),
        },
      }),
  }
}

/** Deletes the attempt of a first call that could not leave this worker, so that another worker makes it. */
async function deleteUnsentAttempt(em: EntityManager, key: AttemptKey): Promise<CreateRecurrenceResult> {
  await lockRecurrence(em, key.uuid)
  const attempt = await findAttempt(em, key)
  if (attempt?.state === 'calling') em.remove(attempt)
  return { kind: 'not_started' }
}

async function recordCreation(
  em: EntityManager,
  { outcome, ...key }: AttemptKey & { outcome: CreateRecurrenceOutcome },
): Promise<CreateRecurrenceResult> {
  const row = await lockRecurrence(em, key.uuid)
  const attempt = await findAttempt(em, key)
  if (row.state !== 'creating' || !attempt) return readKnown(em, row)
  if (outcome.kind === 'accepted') return recordCreated(em, row, { attempt, report: outcome.recurrence })
  recordRefusedAnswer(attempt, outcome)
  return outcome.kind === 'unknown' ? { kind: 'unknown', code: outcome.code } : { kind: 'refused' }
}

async function recordCreated(
  em: EntityManager,
  row: Recurrence,
  { attempt, report }: { attempt: Attempt; report: ProviderRecurrence },
): Promise<RecurrenceSnapshot & { kind: 'known' }> {
  transitionAttempt(attempt, 'accepted')
  Object.assign(attempt, { code: null, message: null, unknownSince: null, nextCheckAt: null })
  row.connection = await em.findOneOrFail(Connection, attempt.connectionUuid)
  row.providerAccountUuid = attempt.providerAccountUuid
  row.railId = report.railId
  row.payload = report.payload
  await changeRecurrence(em, row, 'created')
  await applyReport(em, row, report)
  return readKnown(em, row)
}

/** A recurrence that a look-up has found, and where. */
export type FoundRecurrence = { connectionUuid: string; recurrence: ProviderRecurrence }

/**
 * Records a recurrence that was created before a backup was restored, whose row does not know it. Returns false while its first charge is not
 * there. The caller holds the row lock.
 */
export async function adoptRecurrence(
  em: EntityManager,
  row: Recurrence,
  { connectionUuid, recurrence: report }: FoundRecurrence,
): Promise<boolean> {
  const firstCharge = await findFirstCharge(em, row)
  const isFirstChargeIssued = firstCharge?.txid != null && firstCharge.connection.uuid === connectionUuid
  if (row.firstChargeUuid != null && !isFirstChargeIssued) return false
  const connection = await em.findOneOrFail(Connection, connectionUuid)
  const attempts = await endLiveCreations(em, row, connectionUuid)
  const subject = {
    operation: 'create_recurrence',
    subjectUuid: row.uuid,
    position: attempts.length,
  } as const
  const attempt =
    attempts.find(one => one.connectionUuid === connectionUuid) ?? createAttempt(em, subject, connection)
  assignConnection(row, connection)
  await recordCreated(em, row, { attempt, report })
  return true
}

/** Ends the attempts of which the row knows no outcome, except that at one connection: look-ups have found nothing there. Returns all. */
export async function endLiveCreations(
  em: EntityManager,
  row: Recurrence,
  exceptConnectionUuid?: string,
): Promise<Attempt[]> {
  const attempts = await findAttempts(em, { operation: 'create_recurrence', subjectUuid: row.uuid })
  for (const attempt of attempts) {
    if (isEndedAttempt(attempt) || attempt.connectionUuid === exceptConnectionUuid) continue
    clearUnknownMarks(attempt)
    transitionAttempt(attempt, 'refused')
    Object.assign(attempt, { finality: 'final', code: 'interrupted' })
  }
  await sendChanges(em)
  return attempts
}

/** Reads what is known of a recurrence. */
export async function readKnown(
  em: EntityManager,
  row: Recurrence,
): Promise<RecurrenceSnapshot & { kind: 'known' }> {
  return { kind: 'known', ...(await readSnapshot(em, row)) }
}
