import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { type ChargeEvent, type ChargeState, chargeMachine } from '../../domain/charges/charge.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { isEndedAttempt } from '../../domain/providers/attempt.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { PreRestoreState } from '../../workflows/contracts/rebuild.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import type { AttemptedRow } from '../payouts/payout-handler.ts'
import { endUnsentRefund } from '../refunds/refund-payout.ts'
import type { LockedRefund } from '../refunds/settle.ts'
import { type LockedTransfer, transition, transitionAttempt } from '../shared/transition.ts'
import { endUnsentTransfer, postponeTransfer } from '../transfers/transfer-payout.ts'

/**
 * Restores the final state that a workflow had reached before its database was restored to an earlier moment (SPEC
 * §11). No provider is polled: for an operation that ended without moving money, the workflow's history is the proof.
 * The caller holds the row lock. A row in a final state is not changed. Repeatable.
 */

/** Restores the end of a transfer that was not sent: cancelled, expired, refused by all. A sent one is polled. */
export async function recordTransferEnd(em: EntityManager, out: LockedTransfer, restored: PreRestoreState) {
  const { transfer, attempts } = out
  const { ended } = restored
  if (transferMachine.isFinal(transfer.state)) return
  if (ended === 'failed') {
    endLiveAttempts(attempts, restored)
    const event = transferMachine.accepts(transfer.state, 'rejected') ? 'rejected' : 'refused'
    return endUnsentTransfer(em, out, event, getFailureBeforeRestore(restored))
  }
  const event = ended === 'cancelled' ? 'cancelled' : ended === 'expired' ? 'never_sent' : null
  if (!event) return
  endLiveAttempts(attempts, restored)
  // The transfer was cancelled or expired after it had been postponed, and the row is from before the postponement.
  if (transferMachine.accepts(transfer.state, 'postponed')) await postponeTransfer(em, transfer)
  if (transferMachine.accepts(transfer.state, event)) await endUnsentTransfer(em, out, event, null)
}

/** Restores the end of a refund that failed. */
export async function recordRefundEnd(
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

const CHARGE_END_EVENTS: Partial<Record<string, Partial<Record<ChargeState, ChargeEvent>>>> = {
  cancelled: { issuing: 'cancelled_before_restore', pending: 'cancelled' },
  expired: { issuing: 'expired_before_restore', pending: 'payload_expired' },
}

/** Restores the end of a charge that ended unpaid, with or without a payload that a provider still has. */
export async function recordChargeEnd(em: EntityManager, charge: Charge, ended: string | undefined) {
  const event = CHARGE_END_EVENTS[ended ?? '']?.[charge.state]
  if (!event || !chargeMachine.accepts(charge.state, event)) return
  const at = new Date()
  transition(charge, chargeMachine, event, at)
  await recordChargeEvent(em, charge, { at })
}

/** Reads the failure from the workflow's history. */
export function getFailureBeforeRestore({ failure = 'not_started' }: PreRestoreState): OperationFailure {
  const code = Object.hasOwn(ERROR_CATALOGUE, failure) ? (failure as ErrorCode) : 'provider_rejected'
  return { code: failure, message: ERROR_CATALOGUE[code].message }
}

/** Ends all live attempts as rejected: the workflow had ended, so none of them moved money. */
function endLiveAttempts(attempts: Attempt[], { failure }: PreRestoreState): void {
  const code = failure ?? 'interrupted'
  for (const attempt of attempts.filter(one => !isEndedAttempt(one))) {
    transitionAttempt(attempt, 'refused')
    Object.assign(attempt, { finality: 'final', code, message: null, unknownSince: null, nextCheckAt: null })
  }
}
