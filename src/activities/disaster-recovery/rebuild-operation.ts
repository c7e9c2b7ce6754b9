import { snapshotAcceptedTransfer } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import { DepositReturn } from '../../db/entities/deposit-return.ts'
import { Movement } from '../../db/entities/movement.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { Refund } from '../../db/entities/refund.ts'
import { type OperationFailure, Transfer } from '../../db/entities/transfer.ts'
import { lockMovement } from '../../db/locks.ts'
import {
  constantQuery,
  mapQuery,
  noQuery,
  type Query,
  runQuery,
  sendChanges,
} from '../../db/pipeline/query.ts'
import { queryFollowUpsOfRow, queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { queryTransferPreconditions } from '../../db/repositories/transfers.ts'
import { ERROR_CATALOGUE, type ErrorCode, failureOf } from '../../domain/errors/error-catalogue.ts'
import { isEndedAttempt } from '../../domain/providers/attempt.ts'
import { type RefundTerms, refundMachine } from '../../domain/refunds/refund.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { DepositReturnRefusal } from '../../domain/unmatched/deposit-return.ts'
import type { DepositReturnInput } from '../../workflows/contracts/orders.ts'
import type { PixKeyInput, PixKeyInputDetails } from '../../workflows/contracts/pix-keys.ts'
import type { PreRestoreState, RebuildResult, RebuiltOperation } from '../../workflows/contracts/rebuild.ts'
import type { RefundInput } from '../../workflows/contracts/refunds.ts'
import type { TransferInput, TransferInputDetails } from '../../workflows/contracts/transfers.ts'
import type { ReturnPaymentInput } from '../../workflows/contracts/unmatched.ts'
import { reduceDisputeClaims } from '../ledger/dispute-claims.ts'
import { getCreditedAccounts, lockDisputesAndBalances } from '../ledger/dispute-locks.ts'
import { holdAtConnection } from '../payouts/look-up.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import { findLiveAttempt } from '../payouts/record-outcome.ts'
import { createKeyAttempt, findKeyAttempt, recordUnknownKeyOutcome } from '../pix-keys/attempts.ts'
import { storePixKey } from '../pix-keys/open.ts'
import { getRefundRefusal, openRefundOrder, planRefund, storeRefund } from '../refunds/open.ts'
import { endUnsentRefund, refundPayout } from '../refunds/refund-payout.ts'
import type { LockedRefund } from '../refunds/settle.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { clearUnknownMarks } from '../shared/attempts.ts'
import { type LockedTransfer, lockCharge, lockTransfer, transitionAttempt } from '../shared/transition.ts'
import { openTransfer } from '../transfers/activities.ts'
import { endUnsentTransfer, postponeTransfer, transferPayout } from '../transfers/transfer-payout.ts'
import { returnPayout, storeReturnOrder } from '../unmatched/return-payout.ts'
import { rebuildCharge } from './rebuild-charge.ts'
import { rebuildRecurrence } from './rebuild-recurrence.ts'

/**
 * Rebuilds the rows of an operation that is newer than the restored database (SPEC §11), from its order and from what the
 * histories of its workflow prove: an end without money, or an interrupted payout, which its own workflow looks up at its
 * providers. Sends and issues nothing. Repeatable.
 */
export function rebuildOperation(dependencies: ActivityDependencies) {
  return async (operation: RebuiltOperation): Promise<RebuildResult> => {
    switch (operation.noun) {
      case 'charge':
        return rebuildCharge(dependencies, operation)
      case 'transfer':
        return rebuildTransfer(dependencies, operation)
      case 'refund':
        return rebuildRefund(dependencies, operation)
      case 'return':
        return rebuildReturn(dependencies, operation)
      case 'recurrence':
        return rebuildRecurrence(dependencies, operation)
      case 'pix_key':
        return rebuildPixKey(dependencies, operation)
    }
  }
}

/** Stores a key again with an attempt of unknown outcome: it may have been requested, and its provider's list shows it. */
function rebuildPixKey(
  { orm, sealer }: ActivityDependencies,
  { order, restored }: { order: PixKeyInput; restored: PreRestoreState },
): Promise<RebuildResult> {
  return runInTransaction(orm, async (em): Promise<RebuildResult> => {
    const storedKey = await em.findOne(PixKey, order.uuid, { populate: ['connection'] })
    const row =
      storedKey ??
      storePixKey(em, order, {
        details: sealer.open<PixKeyInputDetails>(order.details),
        connection: await em.findOneOrFail(Connection, order.connectionUuid),
        // The original reason of a refusal is lost with its row.
        failure: restored.ended === 'refused' ? failureOf('not_found_after_restore') : null,
      })
    await sendChanges(em)
    if (row.state === 'creating' && !(await findKeyAttempt(em, row, 'create_key'))) {
      const attempt = createKeyAttempt(em, row, 'create_key')
      recordUnknownKeyOutcome(attempt, 'interrupted')
      attempt.code = 'interrupted'
    }
    return { kind: 'known', state: row.state, isEnded: row.state !== 'creating' }
  })
}

/** Stores a transfer again, or gives its row the end that its workflow had reached without sending money. Repeatable. */
function rebuildTransfer(
  { orm, sealer }: ActivityDependencies,
  { order, restored }: { order: TransferInput; restored: PreRestoreState },
): Promise<RebuildResult> {
  const { uuid } = order
  return runInTransaction(orm, async (em): Promise<Query<RebuildResult>> => {
    if ((await em.count(Transfer, uuid)) === 0) {
      const preconditions = await runQuery(em, queryTransferPreconditions(em, order))
      const orderedAt = new Date(restored.orderedAt)
      const details = sealer.open<TransferInputDetails>(order.details)
      const { transfer } = await openTransfer(em, order, details, preconditions, orderedAt)
      if (order.scheduledFor) transfer.accepted = snapshotAcceptedTransfer(transfer, [])
      await sendChanges(em)
    }
    const locked = await lockTransfer(em, uuid)
    await recordTransferEnd(em, locked, restored)
    const { transfer } = locked
    const isEnded = transferMachine.isFinal(transfer.state)
    if (!isEnded) await recordEarlierAcceptance(em, transferPayout, { uuid, row: locked, restored })
    const { state, connection } = transfer
    return mapQuery(queryFollowUpsOfRow(transfer), followUps => ({
      kind: 'known',
      state,
      isEnded,
      connectionUuid: connection.uuid,
      ...followUps,
    }))
  })
}

/**
 * Stores a refund again, or records the failure that its workflow history proves. Its money was covered when it was ordered:
 * what the restored balance lacks is a shortfall, which credits that are rebuilt later repay. Any other refusal means that
 * rows it depends on are still to be rebuilt: the result is `unknown`. Repeatable.
 */
function rebuildRefund(
  { orm, sealer }: ActivityDependencies,
  { order, restored }: { order: RefundInput; restored: PreRestoreState },
): Promise<RebuildResult> {
  const { uuid } = order
  return runInTransaction(orm, async (em): Promise<Query<RebuildResult>> => {
    if ((await em.count(Charge, order.chargeUuid)) === 0)
      return constantQuery({ kind: 'unknown', code: 'not_found' })
    const charge = await lockCharge(em, order.chargeUuid)
    if ((await em.count(Refund, uuid)) === 0) {
      const orderedAt = new Date(restored.orderedAt)
      const terms = await releaseLaterDisputes(em, { order, restored, charge })
      const plan = await planRefund(em, order, charge, terms, orderedAt)
      if (restored.ended === 'failed') plan.code = getFailureBeforeRestore(restored).code
      else if (plan.code === 'insufficient_balance') plan.code = null
      else if (plan.code !== null) return constantQuery({ kind: 'unknown', code: plan.code })
      await storeRefund(em, openRefundOrder(sealer, order), plan)
    }
    const [locked] = await refundPayout.lock(em, uuid, noQuery)
    await recordRefundEnd(em, locked, restored)
    const { state, connectionUuid } = locked.refund
    const isEnded = refundMachine.isFinal(state)
    if (!isEnded) await recordEarlierAcceptance(em, refundPayout, { uuid, row: locked, restored })
    return queryWithFollowUps(uuid, { kind: 'known', state, isEnded, connectionUuid })
  })
}

/**
 * Releases what disputes claim of a charge for a refund that was ordered before them: no refund is ordered while a dispute
 * claims the charge, but a dispute may be rebuilt first. Returns the terms of the charge without its disputes.
 */
async function releaseLaterDisputes(
  em: EntityManager,
  { order, restored, charge }: { order: RefundInput; restored: PreRestoreState; charge: Charge },
): Promise<RefundTerms> {
  const { state, paidAt, receivedCents, refundedCents, refundingCents, disputedCents } = charge
  const terms = { state, paidAt, receivedCents, refundedCents, refundingCents, disputedCents: 0 }
  const hasFailed = restored.ended === 'failed'
  const orderedAt = new Date(restored.orderedAt)
  if (disputedCents === 0 || hasFailed || getRefundRefusal(order, terms, orderedAt) !== null) return terms
  const disputes = await lockDisputesAndBalances(em, getCreditedAccounts(charge))
  const disputed = { charge, movement: charge.movement! }
  await reduceDisputeClaims(em, disputed, disputes, { refundCents: order.valueCents, at: new Date() })
  return terms
}

/** Rules that an order of before a restore has passed: the time, and disputes that may have been opened after it. */
const PASSED_RETURN_RULES: readonly DepositReturnRefusal[] = [
  'return_med_open',
  'return_period_over',
  'insufficient_balance',
]

/**
 * Stores the order of an account to return a deposit again, where the return has one; `unknown` until its deposit is recorded.
 * Repeatable.
 */
function rebuildReturn(
  { orm }: ActivityDependencies,
  { order: { uuid, order }, restored }: { order: ReturnPaymentInput; restored: PreRestoreState },
): Promise<RebuildResult> {
  return runInTransaction(orm, async (em): Promise<Query<RebuildResult>> => {
    if ((await em.count(Movement, uuid)) === 0) return constantQuery({ kind: 'unknown', code: 'not_found' })
    const failure = order ? await restoreReturnOrder(em, uuid, order) : null
    if (failure !== null) return constantQuery({ kind: 'known', state: 'rejected', isEnded: true })
    const [row] = await returnPayout.lock(em, uuid, noQuery)
    await recordEarlierAcceptance(em, returnPayout, { uuid, row, restored })
    return queryWithFollowUps(uuid, { kind: 'known', state: 'returning', isEnded: false })
  })
}

async function restoreReturnOrder(
  em: EntityManager,
  uuid: string,
  order: DepositReturnInput,
): Promise<string | null> {
  const deposit = await lockMovement(em, uuid)
  const storedOrder = await em.findOne(DepositReturn, order.uuid)
  const { failure } = storedOrder ?? (await storeReturnOrder(em, order, deposit, PASSED_RETURN_RULES))
  await sendChanges(em)
  return failure?.code ?? null
}

/**
 * Stores the acceptance of a provider that the workflow's history proves: "not found" there is no proof of absence. The caller
 * holds the row lock.
 */
async function recordEarlierAcceptance<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { uuid, row, restored: { acceptedByUuid } }: { uuid: string; row: Row; restored: PreRestoreState },
): Promise<void> {
  if (acceptedByUuid === undefined) return
  const liveAttempt = findLiveAttempt(row)
  const attempt = await holdAtConnection(em, handler, {
    uuid,
    connectionUuid: acceptedByUuid,
    row,
    liveAttempt,
  })
  if (attempt.state === 'accepted') return
  clearUnknownMarks(attempt)
  transitionAttempt(attempt, 'accepted')
}

/**
 * Restores the end of a transfer that was not sent: cancelled, expired, refused by all. No provider is polled, because the
 * workflow's history is the proof; a sent one is polled. The caller holds the row lock. Repeatable.
 */
async function recordTransferEnd(
  em: EntityManager,
  lockedTransfer: LockedTransfer,
  restored: PreRestoreState,
) {
  const { transfer, attempts } = lockedTransfer
  const { ended } = restored
  if (transferMachine.isFinal(transfer.state)) return
  if (ended === 'failed') {
    endLiveAttempts(attempts, restored)
    const event = transferMachine.accepts(transfer.state, 'rejected') ? 'rejected' : 'refused'
    return endUnsentTransfer(em, lockedTransfer, event, getFailureBeforeRestore(restored))
  }
  const event = ended === 'cancelled' ? 'cancelled' : ended === 'expired' ? 'never_sent' : null
  if (!event) return
  endLiveAttempts(attempts, restored)
  // The transfer was cancelled or expired after it had been postponed, and the row is from before the postponement.
  if (transferMachine.accepts(transfer.state, 'postponed')) await postponeTransfer(em, transfer)
  if (transferMachine.accepts(transfer.state, event)) await endUnsentTransfer(em, lockedTransfer, event, null)
}

async function recordRefundEnd(
  em: EntityManager,
  locked: LockedRefund & AttemptedRow,
  restored: PreRestoreState,
): Promise<void> {
  const { state } = locked.refund
  if (restored.ended !== 'failed' || refundMachine.isFinal(state)) return
  endLiveAttempts(locked.attempts, restored)
  const event = refundMachine.accepts(state, 'rejected') ? 'rejected' : 'refused'
  await endUnsentRefund(em, locked, event, getFailureBeforeRestore(restored))
}

function getFailureBeforeRestore({ failure = 'not_started' }: PreRestoreState): OperationFailure {
  const code = Object.hasOwn(ERROR_CATALOGUE, failure) ? (failure as ErrorCode) : 'provider_rejected'
  return { code: failure, message: ERROR_CATALOGUE[code].message }
}

/**
 * Ends all live attempts as rejected: the workflow had ended, so none of them moved money. `refusedBy` stays null: who has refused
 * each of them is lost.
 */
function endLiveAttempts(attempts: Attempt[], { failure }: PreRestoreState): void {
  const code = failure ?? 'interrupted'
  for (const attempt of attempts.filter(one => !isEndedAttempt(one))) {
    clearUnknownMarks(attempt)
    transitionAttempt(attempt, 'refused')
    Object.assign(attempt, { finality: 'final', code })
  }
}
