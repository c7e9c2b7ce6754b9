import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Refund, RefundPart } from '../../db/entities/refund.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { refundSettledLegs, uncoveredOutflowLegs } from '../../domain/ledger/legs.ts'
import type { ProviderPayout } from '../../domain/providers/provider.ts'
import { computeRefundableCents, type RefundEvent, refundMachine } from '../../domain/refunds/refund.ts'
import { recordChargeEvent, recordMovementEvent, recordRefundEvent } from '../events/record-event.ts'
import { postMovement, settleMovement } from '../ledger/movements.ts'
import { transitionCharge } from '../shared/transition.ts'
import { computeSplitShares, getRefundParties } from './open.ts'

/** What the settlement of a refund does to it, to its charge and to the ledger, in time or late. */

/** A refund under the lock of its charge, which every refund of that charge waits for. */
export type LockedRefund = { refund: Refund; charge: Charge }

/** It has gone as it was asked for. */
export async function settleHeldRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  sending: ProviderPayout,
): Promise<void> {
  const at = new Date()
  await addSettledRefunds(em, charge)
  charge.refundingCents -= refund.valueCents
  charge.refundedCents += refund.valueCents
  transitionToRefunded(charge, at)
  addSplitReturnRequests(charge, refund.parts)
  transitionRefund(refund, 'settled', at)
  settleMovementOfRefund(refund, sending, at)
  await postMovement(
    em,
    refund.movement!,
    refundSettledLegs(getRefundParties(refund), { accountUuid: refund.accountUuid, cents: refund.feeCents }),
  )
  await recordRefundEvent(em, refund, { charge, at })
  await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
  await recordRefundMovementEvent(em, refund, at)
}

/** It was thought to have failed and has gone after all: the owner's money follows it, covered or not. */
export async function settleLateRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  sending: ProviderPayout,
): Promise<void> {
  const at = new Date()
  const availableCents = await lockAvailableBalance(em, charge)
  transitionRefund(refund, 'settled_late', at)
  refund.failure = null
  refund.feeCents = 0 // It went back with the hold, and nobody takes it again.
  settleMovementOfRefund(refund, sending, at)
  refund.movement!.reason = 'late_settlement'
  await em.flush() // So that it is among those that have settled.
  const counts = await addLateRefunds(em, charge, at)
  await postMovement(
    em,
    refund.movement!,
    uncoveredOutflowLegs(charge.accountUuid, { cents: refund.valueCents, availableCents }),
  )
  await recordRefundEvent(em, refund, { charge, at })
  if (counts) await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
  await recordRefundMovementEvent(em, refund, at)
}

/**
 * Adds late-settled refunds to `refundedCents` once no running refund and no dispute claims the charge. Called again after
 * each of these ends. Returns whether the charge changed and has to be announced.
 */
export async function addLateRefunds(em: EntityManager, charge: Charge, at: Date): Promise<boolean> {
  if (!chargeMachine.accepts(charge.state, 'refund_requested')) return false
  const before = charge.refundedCents
  await addSettledRefunds(em, charge)
  if (charge.refundedCents === before) return false
  transitionThroughRefund(charge, at)
  return true
}

/**
 * What went back while a refund was running, by a dispute or by an earlier refund that settled late, could not count for
 * the charge then; it counts when that refund is through. What was received bounds what is shown, whatever has gone.
 */
export async function addSettledRefunds(em: EntityManager, charge: Charge): Promise<void> {
  const [row]: { cents: string }[] = await em.execute(
    `select coalesce(sum(value_cents), 0) as cents from refund where charge_uuid = ? and state = 'settled'`,
    [charge.uuid],
  )
  const more = Math.min(Number(row?.cents) - charge.refundedCents, computeRefundableCents(charge))
  if (more > 0) addRefundedCents(charge, more)
}

/** The owner paid it all; what it would have asked of each split counts as asked, so that no later refund asks for it. */
function addRefundedCents(charge: Charge, cents: number): void {
  const asked = computeSplitShares(charge, cents)
  addSplitReturnRequests(
    charge,
    asked.map(({ split, cents }) => ({ split_uuid: split.uuid, asked: cents })),
  )
  charge.refundedCents += cents
}

/** What each split has been asked for by refunds so far, these included. */
export function addSplitReturnRequests(
  { splits }: Charge,
  parts: Pick<RefundPart, 'split_uuid' | 'asked'>[],
): void {
  for (const part of parts) {
    const split = splits.getItems().find(({ uuid }) => uuid === part.split_uuid)
    if (split) split.returnRequestedCents += part.asked
  }
}

/** What went back without a refund that runs: the charge passes through one, to what all of them have come to. */
export function transitionThroughRefund(charge: Charge, at: Date): void {
  transitionCharge(charge, 'refund_requested', at)
  transitionToRefunded(charge, at)
}

function transitionToRefunded(charge: Charge, at: Date): void {
  const whole = charge.refundedCents === charge.receivedCents
  transitionCharge(charge, whole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
}

function recordRefundMovementEvent(
  em: EntityManager,
  { uuid, requestId, movement }: Refund,
  at: Date,
): Promise<void> {
  return recordMovementEvent(em, movement!, { ownerUuid: uuid, requestId, at })
}

function settleMovementOfRefund(refund: Refund, sending: ProviderPayout, at: Date): void {
  settleMovement(refund.movement!, sending, at)
  refund.endToEnd = refund.movement!.endToEnd
}

export function transitionRefund(refund: Refund, event: RefundEvent, at: Date): void {
  refund.state = refundMachine.next(refund.state, event)
  refund.updatedAt = at
}
