import type { Attempt } from '../db/entities/attempt.ts'
import type { Charge } from '../db/entities/charge.ts'
import type { Failure } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { type ChargeEvent, type ChargeState, charge as chargeLife } from '../domain/charge.ts'
import { REFUSALS, type RefusalCode } from '../domain/errors.ts'
import { refund as refundLife } from '../domain/refund.ts'
import { transfer as transferLife } from '../domain/transfer.ts'
import type { Restored } from '../workflows/messages.ts'
import { announceCharge } from './announce.ts'
import { moveCharge, type PixOut } from './move.ts'
import { FINAL } from './outcomes.ts'
import type { Tried } from './outgoing.ts'
import type { Devolution } from './refund-settlements.ts'
import { endUnsent as endRefundUnsent } from './refunds.ts'
import { endUnsent, putOff } from './transfers.ts'

/**
 * The final state that a workflow had reached before its database was restored to an earlier moment (SPEC §11), given back
 * to its row without a question: of what had ended without money, its history is the proof. All run under the row's lock,
 * change nothing of a row that is over, and may be repeated.
 */

/** Of a transfer that ended unsent: cancelled, expired, or refused by all. One that went is asked about. */
export async function endTransferAsBefore(em: EntityManager, out: PixOut, restored: Restored): Promise<void> {
  const { transfer, attempts } = out
  const { ended } = restored
  if (transferLife.isOver(transfer.state)) return
  if (ended === 'failed') {
    endAttempts(attempts, restored)
    const event = transferLife.accepts(transfer.state, 'rejected') ? 'rejected' : 'refused'
    return endUnsent(em, out, event, failureBefore(restored))
  }
  const event = ended === 'cancelled' ? 'cancelled' : ended === 'expired' ? 'never_sent' : null
  if (!event) return
  endAttempts(attempts, restored)
  // It was cancelled or expired while it waited again, after a try that the row still shows.
  if (transferLife.accepts(transfer.state, 'put_off')) await putOff(em, transfer)
  if (transferLife.accepts(transfer.state, event)) await endUnsent(em, out, event, null)
}

/** Of a refund that ended without a return. */
export async function endRefundAsBefore(
  em: EntityManager,
  devolved: Devolution & Tried,
  restored: Restored,
): Promise<void> {
  const { state } = devolved.refund
  if (restored.ended !== 'failed' || refundLife.isOver(state)) return
  endAttempts(devolved.attempts, restored)
  const event = refundLife.accepts(state, 'rejected') ? 'rejected' : 'refused'
  await endRefundUnsent(em, devolved, event, failureBefore(restored))
}

const ENDS: Partial<Record<string, Partial<Record<ChargeState, ChargeEvent>>>> = {
  cancelled: { issuing: 'cancelled_before_restore', pending: 'cancelled' },
  expired: { issuing: 'expired_before_restore', pending: 'payload_expired' },
}

/** Of a charge that ended unpaid. One whose payload nobody knows any more has none. */
export async function endChargeAsBefore(
  em: EntityManager,
  charge: Charge,
  { ended }: Pick<Restored, 'ended'>,
): Promise<void> {
  const event = ENDS[ended ?? '']?.[charge.state]
  if (!event || !chargeLife.accepts(charge.state, event)) return
  const at = new Date()
  moveCharge(charge, event, at)
  await announceCharge(em, charge, { at })
}

/** Why it failed, as far as its history tells. */
export function failureBefore({ failure = 'not_taken' }: Restored): Failure {
  const known = Object.hasOwn(REFUSALS, failure) ? (failure as RefusalCode) : 'provider_rejected'
  return { code: failure, message: REFUSALS[known].message }
}

/** At its end all attempts were over: those that the row shows on their way came to nothing. */
function endAttempts(attempts: Attempt[], { failure }: Restored): void {
  for (const attempt of attempts.filter(({ state }) => !FINAL.includes(state)))
    Object.assign(attempt, {
      ...{ state: 'rejected', finality: 'final', code: failure ?? 'restored', message: null },
      ...{ unknownSince: null, nextCheckAt: null },
    })
}
