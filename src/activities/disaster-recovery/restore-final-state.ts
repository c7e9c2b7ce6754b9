import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { type ChargeEvent, type ChargeState, chargeMachine } from '../../domain/charges/charge.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import type { PreRestoreState } from '../../workflows/contracts/messages.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import type { AttemptedRow } from '../payouts/payout-handler.ts'
import { FINAL_ATTEMPT_STATES } from '../payouts/record-outcome.ts'
import { endUnsentRefund } from '../refunds/refund-payout.ts'
import type { LockedRefund } from '../refunds/settle.ts'
import { type LockedTransfer, transitionCharge } from '../shared/transition.ts'
import { endUnsentTransfer, postponeTransfer } from '../transfers/transfer-payout.ts'

/**
 * The final state that a workflow had reached before its database was restored to an earlier moment (SPEC §11), given back
 * to its row without a question: of what had ended without money, its history is the proof. All run under the row's lock,
 * change nothing of a row that is over, and may be repeated.
 */

/** Of a transfer that ended unsent: cancelled, expired, or refused by all. One that went is asked about. */
export async function restoreTransferEnd(
  em: EntityManager,
  out: LockedTransfer,
  restored: PreRestoreState,
): Promise<void> {
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
  // It was cancelled or expired while it waited again, after a try that the row still shows.
  if (transferMachine.accepts(transfer.state, 'postponed')) await postponeTransfer(em, transfer)
  if (transferMachine.accepts(transfer.state, event)) await endUnsentTransfer(em, out, event, null)
}

/** Of a refund that ended without a return. */
export async function restoreRefundEnd(
  em: EntityManager,
  devolved: LockedRefund & AttemptedRow,
  restored: PreRestoreState,
): Promise<void> {
  const { state } = devolved.refund
  if (restored.ended !== 'failed' || refundMachine.isFinal(state)) return
  endLiveAttempts(devolved.attempts, restored)
  const event = refundMachine.accepts(state, 'rejected') ? 'rejected' : 'refused'
  await endUnsentRefund(em, devolved, event, getFailureBeforeRestore(restored))
}

const CHARGE_END_EVENTS: Partial<Record<string, Partial<Record<ChargeState, ChargeEvent>>>> = {
  cancelled: { issuing: 'cancelled_before_restore', pending: 'cancelled' },
  expired: { issuing: 'expired_before_restore', pending: 'payload_expired' },
}

/** Of a charge that ended unpaid. One whose payload nobody knows any more has none. */
export async function restoreChargeEnd(
  em: EntityManager,
  charge: Charge,
  { ended }: Pick<PreRestoreState, 'ended'>,
): Promise<void> {
  const event = CHARGE_END_EVENTS[ended ?? '']?.[charge.state]
  if (!event || !chargeMachine.accepts(charge.state, event)) return
  const at = new Date()
  transitionCharge(charge, event, at)
  await recordChargeEvent(em, charge, { at })
}

/** Why it failed, as far as its history tells. */
export function getFailureBeforeRestore({ failure = 'not_taken' }: PreRestoreState): OperationFailure {
  const known = Object.hasOwn(ERROR_CATALOGUE, failure) ? (failure as ErrorCode) : 'provider_rejected'
  return { code: failure, message: ERROR_CATALOGUE[known].message }
}

/** At its end all attempts were over: those that the row shows on their way came to nothing. */
function endLiveAttempts(attempts: Attempt[], { failure }: PreRestoreState): void {
  for (const attempt of attempts.filter(({ state }) => !FINAL_ATTEMPT_STATES.includes(state)))
    Object.assign(attempt, {
      ...{ state: 'rejected', finality: 'final', code: failure ?? 'restored', message: null },
      ...{ unknownSince: null, nextCheckAt: null },
    })
}
