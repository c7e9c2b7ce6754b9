import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Charge } from '../../db/entities/charge.ts'
import { batchQueries, constantQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { isExpiryConfirmedFor } from '../../db/repositories/charge-expiries.ts'
import {
  clearUnansweredCancellation,
  queryChargeKind,
  readChargeState,
  withdrawCancellation,
} from '../../db/repositories/charges.ts'
import { queryChargeConnectionToCall } from '../../db/repositories/connections.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { queryReceivedMovements } from '../../db/repositories/movements.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { getStillOpenCode, isEndedByOperator } from '../../domain/charges/still-open.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { CancelChargeOutcome, FoundCharge } from '../../domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type {
  CancelChargeInput,
  ChargeSnapshot,
  PollChargeInput,
  PollChargeResult,
} from '../../workflows/contracts/charges.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { addNotifiedPayers } from '../provider-notifications/notified-details.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import {
  callClientRepeatably,
  guardNotFoundByOrderTime,
  loadProviderConnection,
  requireReach,
  toProviderConnection,
} from '../shared/provider-client.ts'
import { lockCharge, lockChargeWithQuery, transition } from '../shared/transition.ts'
import { applyDebitReport, findPollTime, findUnknownTryCodes, isDebit } from './debits.ts'
import {
  isPayerReportPending,
  isRefusedForItsPayer,
  recordPayments,
  selectPaymentsOf,
} from './record-payments.ts'
import { findOpenRevision, refuseRevision } from './revisions.ts'

/** Reads the state of a charge, for a workflow that is reopened. */
export function getCharge({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<ChargeSnapshot> => {
    const em = orm.em.fork()
    const charge = await em.findOneOrFail(Charge, uuid)
    const { state, cancelRequestedAt, qrCodeUuid } = charge
    const openRevision = await findOpenRevision(em, charge)
    return {
      state,
      expiresAt: findPollTime(charge)?.toISOString() ?? null,
      cancelRequested: cancelRequestedAt !== null,
      ...(qrCodeUuid && { isStatic: true as const }),
      ...(openRevision && { openRevision: openRevision.uuid }),
    }
  }
}

/** `isCancelRefused`: the provider has refused to cancel the charge, which may have ended there. */
type ChargePoll = PollChargeInput & { isCancelRefused?: boolean }

/**
 * Polls the provider of a charge, then applies its answer in one transaction under the charge's row lock: payments are recorded,
 * and an unpaid charge ends that has ended at its provider: it expires once its payload has, or an operator has confirmed long enough ago
 * that it was not paid, and it is cancelled where that was asked.
 */
export function pollCharge(dependencies: ActivityDependencies) {
  return async ({
    chargeUuid,
    isPayloadExpired,
    isCancelRefused = false,
  }: ChargePoll): Promise<PollChargeResult> => {
    const em = dependencies.orm.em.fork()
    const [connection, kind] = await runQuery(
      em,
      batchQueries(queryChargeConnectionToCall(em, chargeUuid), queryChargeKind(chargeUuid)),
    )
    const client = toProviderConnection(dependencies, connection)
    const isConfirmed = createConfirmationCheck(dependencies, chargeUuid)
    const answer = await callClientRepeatably(dependencies, em, client, provider =>
      provider.findCharge(referenceOf(chargeUuid), kind),
    )
    // "Not found" from the provider that issued the charge is no answer: it proves nothing about payments.
    if (answer.kind !== 'found') {
      const code = answer.kind === 'no_answer' ? answer.code : answer.kind
      if (await isConfirmed(em, code))
        return runInTransaction(dependencies.orm, tx => recordUnpaidEnd(tx, chargeUuid, 'payload_expired'))
      return { kind: 'no_answer', state: await readChargeState(em, chargeUuid), code }
    }
    for (const code of findUnknownTryCodes(answer))
      dependencies.log.error({ charge: chargeUuid, code }, 'the provider reports a try with an unknown code')
    for (const { endToEnd } of answer.payments.filter(({ cents }) => cents <= 0))
      dependencies.log.error({ charge: chargeUuid, endToEnd }, 'the provider lists a payment without a value')
    const payments = await addNotifiedPayers(em, client, answer.payments)
    return runInTransaction(dependencies.orm, tx =>
      applyChargePoll(tx, {
        chargeUuid,
        isPayloadExpired,
        isCancelRefused,
        answer: { ...answer, payments },
        isConfirmed,
        payerReportMs: scaleWait(WAITS.payerReport, dependencies.timeScale),
      }),
    )
  }
}

type ConfirmationCheck = (em: EntityManager, code: string) => Promise<boolean>

/**
 * Creates the check whether an operator has confirmed that a charge was not paid, of which its provider answers with this
 * code. Created before the provider is called: its list of payments may lag behind the charge, and only an answer that
 * it gives long after the confirmation ends the charge.
 */
function createConfirmationCheck({ timeScale }: ActivityDependencies, chargeUuid: string): ConfirmationCheck {
  const calledAtMs = Date.now()
  return async (em, code) => {
    const waitMs = scaleWait(WAITS.endAfterConfirmation, timeScale) + Date.now() - calledAtMs
    return isEndedByOperator(code) && isExpiryConfirmedFor(em, { chargeUuid, waitMs })
  }
}

/**
 * Cancels a charge at its provider, then in the database. If the provider refuses, the charge is polled, and cancelled where it has
 * ended there unpaid. "Not found" after an unanswered request cancels the charge with `isAbsenceProved` only: one answer may lag behind
 * the provider's books.
 */
export function cancelChargeAtProvider(dependencies: ActivityDependencies) {
  return async ({ chargeUuid, isAbsenceProved }: CancelChargeInput): Promise<PollChargeResult> => {
    const em = dependencies.orm.em.fork()
    const { charge, isRepeat } = await runInTransaction(dependencies.orm, tx =>
      requestCancellation(tx, chargeUuid),
    )
    if (!chargeMachine.accepts(charge.state, 'cancelled'))
      return runQuery(em, queryPollResult(charge, { kind: 'known' }))
    // No provider has a static code: nothing is called, and a PIX that is paid to it after all pays the charge late.
    if (charge.qrCodeUuid)
      return runInTransaction(dependencies.orm, tx => recordUnpaidEnd(tx, chargeUuid, 'cancelled'))
    const { connection, provider } = await loadProviderConnection(dependencies, em, charge.connection.uuid)
    const answer = await provider.cancelCharge(referenceOf(chargeUuid), {
      isDue: charge.due != null,
      ...(isDebit(charge) && { isDebit: true }),
    })
    if (!isRepeat && hasRemovedNothing(answer)) await clearUnansweredCancellation(em, chargeUuid)
    await requireReach(dependencies, em, connection, answer)
    const outcome = guardNotFoundByOrderTime(answer, { orderedAt: charge.createdAt, connection })
    switch (outcome.kind) {
      case 'cancelled':
        return runInTransaction(dependencies.orm, tx => recordUnpaidEnd(tx, chargeUuid, 'cancelled'))
      case 'refused': {
        const pollResult = await pollCharge(dependencies)({
          chargeUuid,
          isPayloadExpired: false,
          isCancelRefused: true,
        })
        // The request ends here: no later run may cancel a charge of which the merchant gets the refusal.
        if (pollResult.kind === 'known') await withdrawCancellation(em, chargeUuid)
        return pollResult
      }
      case 'not_found':
        // Some providers delete cancelled charges: an earlier request cancelled it, and its answer was lost.
        if (isRepeat && isAbsenceProved)
          return runInTransaction(dependencies.orm, tx => recordUnpaidEnd(tx, chargeUuid, 'cancelled'))
        return {
          kind: 'no_answer',
          state: charge.state,
          code: 'not_found',
          ...(isRepeat && { settleWindowMs: connection.settleWindowMs }),
        }
      case 'no_answer':
        return { kind: 'no_answer', state: charge.state, code: outcome.code }
    }
  }
}

/**
 * Stores the cancellation request before the call. Until the provider answers, `cancelUnanswered` marks that an
 * unanswered request may have removed the payload. `isRepeat`: an earlier request has no answer yet.
 */
async function requestCancellation(em: EntityManager, chargeUuid: string) {
  const charge = await lockCharge(em, chargeUuid)
  const isRepeat = charge.cancelUnanswered
  if (chargeMachine.accepts(charge.state, 'cancelled')) {
    charge.cancelRequestedAt ??= new Date()
    charge.cancelUnanswered = true
  }
  return { charge, isRepeat }
}

/** Tells whether an answer proves that the cancellation request has not removed the payload at the provider. */
function hasRemovedNothing(outcome: CancelChargeOutcome): boolean {
  if (outcome.kind === 'no_answer') return outcome.isUnprocessed === true
  return outcome.kind !== 'cancelled'
}

/** Ends a pending charge, and returns the query of the poll's result. */
async function recordUnpaidEnd(
  em: EntityManager,
  chargeUuid: string,
  event: UnpaidEndEvent,
): Promise<Query<PollChargeResult>> {
  const charge = await lockCharge(em, chargeUuid)
  await endPendingCharge(em, charge, event)
  return queryPollResult(charge, { kind: 'known' })
}

type FoundChargePoll = ChargePoll & {
  answer: FoundCharge
  isConfirmed: ConfirmationCheck
  payerReportMs: number
}

async function applyChargePoll(
  em: EntityManager,
  {
    chargeUuid,
    isPayloadExpired,
    isCancelRefused,
    answer,
    isConfirmed,
    payerReportMs: waitMs,
  }: FoundChargePoll,
): Promise<Query<PollChargeResult>> {
  const payments = selectPaymentsOf(chargeUuid, answer.payments)
  const endToEnds = payments.map(payment => payment.endToEnd)
  const recordedQuery =
    payments.length > 0 ? queryReceivedMovements(em, { chargeUuid, endToEnds }) : constantQuery([])
  const [charge, recordedMovements] = await lockChargeWithQuery(em, chargeUuid, recordedQuery)
  const recordable = payments.filter(one => !isPayerReportPending(charge, one, { recordedMovements, waitMs }))
  await recordPayments(em, charge, { payments: recordable, recordedMovements })
  if (recordable.length < payments.length)
    return queryPollResult(charge, { kind: 'no_answer', code: 'payer_not_reported' })
  const hasPendingPayment = answer.payments.some(({ status }) => status === 'in_process')
  if (isDebit(charge)) {
    const code = await applyDebitReport(em, charge, { answer, hasPendingPayment })
    if (code !== null && !(await isConfirmed(em, code)))
      return queryPollResult(charge, { kind: 'no_answer', code })
    if (code !== null) await endPendingCharge(em, charge, 'payload_expired')
    const expiresAt = findPollTime(charge)!.toISOString()
    return queryPollResult(charge, { kind: 'known', listedPaymentCount: payments.length, expiresAt })
  }
  if (answer.status === 'removed' && !hasPendingPayment) await endPendingCharge(em, charge, 'cancelled')
  if ((isPayloadExpired || isCancelRefused) && !hasPendingPayment) {
    // A payload that another payer has used up is not payable any more, and its PIX is recorded.
    const isUsedUp = answer.status === 'completed' && payments.some(one => isRefusedForItsPayer(charge, one))
    const code = isUsedUp ? null : getStillOpenCode(answer)
    if (code === null || (isPayloadExpired && (await isConfirmed(em, code))))
      await endPendingCharge(em, charge, isPayloadExpired ? 'payload_expired' : 'cancelled')
    else if (isPayloadExpired && chargeMachine.accepts(charge.state, 'payload_expired'))
      return queryPollResult(charge, { kind: 'no_answer', code })
  }
  return queryPollResult(charge, { kind: 'known', listedPaymentCount: payments.length })
}

type UnpaidEndEvent = 'cancelled' | 'payload_expired'

/** Ends a charge that can still be paid, or debited, and writes its event; one in any other state stays as it is. */
async function endPendingCharge(em: EntityManager, charge: Charge, event: UnpaidEndEvent) {
  if (!chargeMachine.accepts(charge.state, event)) return
  const at = new Date()
  const openRevision = await findOpenRevision(em, charge)
  if (openRevision) refuseRevision(openRevision)
  transition(charge, chargeMachine, event, at)
  await recordChargeEvent(em, charge, { at })
}

function queryPollResult<const Outcome extends object>({ uuid, state }: Charge, outcome: Outcome) {
  return queryWithFollowUps(uuid, { state, ...outcome })
}
