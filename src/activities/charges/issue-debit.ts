import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { batchQueries, runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { queryLockedChargeState } from '../../db/repositories/charges.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { isCycleCharged, lockRecurrence } from '../../db/repositories/recurrences.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type {
  IssueChargeOutcome,
  IssuedCharge,
  NoAnswerResult,
  RejectedResult,
  UnreachableResult,
} from '../../domain/providers/provider.ts'
import { findCreationPeriod } from '../../domain/recurrences/cycles.ts'
import { describeDebit } from '../../domain/recurrences/debit.ts'
import { isChargeableRecurrenceState } from '../../domain/recurrences/recurrence.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import type {
  ChargeInput,
  ChargeInputDetails,
  DebitOrder,
  IssueDebitInput,
  IssueDebitResult,
} from '../../workflows/contracts/charges.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { passCycle } from '../recurrences/cycles.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { blockedReason, createAttempt, recordRefusedAnswer } from '../shared/attempts.ts'
import {
  guardNotFoundByEpoch,
  type ProviderConnection,
  requireReach,
  toProviderConnection,
} from '../shared/provider-client.ts'
import { lockCharge, transition } from '../shared/transition.ts'
import {
  describeDetails,
  failIssuing,
  findIssueAttempts,
  readIssueResult,
  recordIssuedCharge,
  storeCharge,
} from './issue-charge.ts'

type OrderedDebit = ChargeInput & { debit: DebitOrder }

/**
 * Makes the debit of a cycle at the provider of its recurrence, and at no other. Its row and attempt are stored before the call. Where the
 * answer is lost it is looked up, and requested again by the same id, which the provider takes for the same debit; a refusal of a repeated
 * request proves nothing before `isAbsenceProved`. Repeatable.
 */
export function issueDebit(dependencies: ActivityDependencies) {
  return async ({ order, isAbsenceProved = false }: IssueDebitInput): Promise<IssueDebitResult> => {
    const { orm } = dependencies
    if (!order.debit) throw new Error('the order is no debit')
    const debitOrder: OrderedDebit = { ...order, debit: order.debit }
    const start = await runInTransaction(orm, em => startDebit(dependencies, em, debitOrder))
    if (!start) return { kind: 'closed', ...(await readIssueResult(orm.em.fork(), order.uuid)) }
    const outcome = await findOrRequestDebit(dependencies, start, debitOrder)
    switch (outcome.kind) {
      case 'accepted':
        return recordIssued(dependencies, start, outcome.charge)
      case 'rejected':
        if (start.isRepeat && !isAbsenceProved)
          return { kind: 'not_found', settleWindowMs: start.connection.settleWindowMs }
        return recordRefused(dependencies, start, outcome)
      default:
        return { kind: 'again', code: outcome.code }
    }
  }
}

/** A debit that is being made. `attempt`: null where the call is blocked and none was made before. */
type DebitStart = ProviderConnection & {
  chargeUuid: string
  attempt: Attempt | null
  /** An earlier call may have made the debit. */
  isRepeat: boolean
  /** Why the provider may not be called now. */
  blocked: UnreachableResult | RejectedResult | null
}

/** Banks refuse a debit of a day that is too near. */
const TOO_LATE = {
  kind: 'rejected',
  finality: 'final',
  code: 'too_late',
  message: 'The debit can no longer be created for its day',
  refusedBy: 'service',
} as const

/**
 * Stores the charge and its attempt, under the row lock of the recurrence and then of the charge: of two orders of a cycle one is stored as
 * failed, as is one of a recurrence that is not active. Null where the charge is not being made any more.
 */
async function startDebit(
  dependencies: ActivityDependencies,
  em: EntityManager,
  order: OrderedDebit,
): Promise<DebitStart | null> {
  const { uuid: chargeUuid, debit } = order
  const { recurrenceUuid, cycle } = debit
  const recurrence = await lockRecurrence(em, recurrenceUuid)
  const connectionUuid = order.candidates[0]!
  const [state, connectionToCall, isPaused] = await runQuery(
    em,
    batchQueries(
      queryLockedChargeState(chargeUuid),
      queryConnectionToCall(em, connectionUuid),
      queryIsPaused(connectionUuid, 'in'),
    ),
  )
  const client = toProviderConnection(dependencies, connectionToCall)
  if (state !== undefined && state !== 'issuing') return null
  if (state === undefined) {
    const isCharged = await isCycleCharged(em, { recurrenceUuid, cycle, exceptUuid: chargeUuid })
    const charge = storeCharge(dependencies, em, order, client.connection)
    const refusal = findCycleRefusal(isChargeableRecurrenceState(recurrence.state), isCharged)
    if (refusal) {
      await failStoredDebit(em, charge, failureOf(refusal))
      return null
    }
    passCycle(recurrence, cycle)
    await sendChanges(em)
  }
  const isProvider = PROVIDER_CAPABILITIES[client.connection.dialect].ownDebits !== undefined
  const { lastDay } = findCreationPeriod(debit.dueOn, { isProvider })
  const isTooLate = computeBrasiliaDay(new Date()) > lastDay
  const blocked = isTooLate ? TOO_LATE : blockedReason('issue', client.connection, { isPaused })
  const [earlier] = await findIssueAttempts(em, chargeUuid)
  const attempt = earlier ?? (blocked ? null : createDebitAttempt(em, chargeUuid, client.connection))
  return { ...client, chargeUuid, attempt, isRepeat: earlier !== undefined, blocked }
}

function createDebitAttempt(em: EntityManager, chargeUuid: string, connection: Connection): Attempt {
  return createAttempt(em, { operation: 'issue', subjectUuid: chargeUuid, position: 0 }, connection)
}

function findCycleRefusal(isActive: boolean, isCharged: boolean) {
  if (!isActive) return 'recurrence_not_active'
  return isCharged ? 'cycle_already_charged' : null
}

/** Stores a debit as failed that no provider is asked for. */
async function failStoredDebit(em: EntityManager, charge: Charge, failure: OperationFailure) {
  const at = new Date()
  charge.failure = { ...failure, attempts: [] }
  transition(charge, chargeMachine, 'no_provider_issued', at)
  // Stored before it is locked, which loads what its event shows.
  await sendChanges(em)
  await recordChargeEvent(em, await lockCharge(em, charge.uuid), { at })
}

/** Looks the debit up where an earlier call may have made it, and requests it where none has, unless the provider may not be called. */
async function findOrRequestDebit(
  dependencies: ActivityDependencies,
  start: DebitStart,
  order: OrderedDebit,
): Promise<IssueChargeOutcome | NoAnswerResult> {
  const { connection, provider, attempt, isRepeat, blocked } = start
  if (isRepeat) {
    const kind = { isDue: false, isDebit: true, debit: describeDebit(order.debit) }
    const shown = await provider.findCharge(referenceOf(order.uuid), kind)
    await requireReach(dependencies, dependencies.orm.em.fork(), connection, shown)
    const answer = guardNotFoundByEpoch(shown, { attempt: attempt!, connection })
    if (answer.kind === 'found') return { kind: 'accepted', charge: answer.charge }
    if (answer.kind === 'no_answer') return answer
  }
  return blocked ?? requestDebit(dependencies, start, order)
}

async function requestDebit(
  { orm, sealer }: ActivityDependencies,
  { connection, provider }: DebitStart,
  { uuid, valueCents, debit, details }: OrderedDebit,
): Promise<IssueChargeOutcome> {
  const { feeCents } = debit
  const outcome = await provider.issueCharge({
    reference: referenceOf(uuid),
    totalCents: valueCents + feeCents,
    expiresInSeconds: 0,
    collectionKey: connection.collectionKey ?? null,
    ...describeDetails(connection, sealer.open<ChargeInputDetails>(details)),
    debit: describeDebit(debit),
  })
  await recordCircuitResult(orm.em.fork(), connection, { outcome, order: 'charge' })
  return outcome
}

async function recordIssued(
  { orm }: ActivityDependencies,
  start: DebitStart,
  issued: IssuedCharge,
): Promise<IssueDebitResult> {
  const { attempt, ...call } = start
  const result = await runInTransaction(orm, em =>
    recordIssuedCharge(em, { ...call, attempt: attempt!, isReissue: start.isRepeat }, issued),
  )
  return { kind: 'closed', ...result }
}

/** Fails a debit that was refused, and that its provider has not made. */
async function recordRefused(
  { orm }: ActivityDependencies,
  { chargeUuid, connection }: DebitStart,
  refusal: RejectedResult,
): Promise<IssueDebitResult> {
  const result = await runInTransaction(orm, async em => {
    await runQuery(em, queryLockedChargeState(chargeUuid))
    const [stored] = await findIssueAttempts(em, chargeUuid)
    const attempt = stored ?? createDebitAttempt(em, chargeUuid, connection)
    if (attempt.state === 'calling') recordRefusedAnswer(attempt, refusal)
    await sendChanges(em)
    return failIssuing(em, chargeUuid)
  })
  return { kind: 'closed', ...result }
}
