import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Refund, RefundPart } from '../../db/entities/refund.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { sumSettledRefunds } from '../../db/repositories/charges.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { refundSettledLegs, uncoveredOutflowLegs } from '../../domain/ledger/legs.ts'
import type { ProviderPayout } from '../../domain/providers/provider.ts'
import { computeRefundableCents, refundMachine } from '../../domain/refunds/refund.ts'
import { recordChargeEvent, recordMovementEvent, recordRefundEvent } from '../events/record-event.ts'
import { postMovement, settleMovement } from '../ledger/movements.ts'
import { transition } from '../shared/transition.ts'
import { computeSplitShares, getRefundParties } from './open.ts'

/** A refund and its charge. The charge's row lock serializes all refunds of that charge. */
export type LockedRefund = { refund: Refund; charge: Charge }

/** Settles a refund whose money is held: posts the movement that takes it from the balances (`refundSettledLegs`). */
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
  transition(refund, refundMachine, 'settled', at)
  settleMovementOfRefund(refund, sending, at)
  await postMovement(
    em,
    refund.movement!,
    refundSettledLegs(getRefundParties(refund), { accountUuid: refund.accountUuid, cents: refund.feeCents }),
  )
  await recordRefundEvent(em, refund, { charge, at })
  await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
  await recordMovementEvent(em, refund.movement!, refund, at)
}

/** Settles a refund that had ended as failed: the charge's owner pays it, even without an available balance. */
export async function settleLateRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  sending: ProviderPayout,
): Promise<void> {
  const at = new Date()
  const availableCents = await lockAvailableBalance(em, charge)
  transition(refund, refundMachine, 'settled_late', at)
  refund.failure = null
  refund.feeCents = 0 // The fee was released with the hold and is not charged again.
  settleMovementOfRefund(refund, sending, at)
  refund.movement!.reason = 'late_settlement'
  await em.flush() // Before the statement that sums the settled refunds.
  const hasChanged = await addLateRefunds(em, charge, at)
  await postMovement(
    em,
    refund.movement!,
    uncoveredOutflowLegs(charge.accountUuid, { cents: refund.valueCents, availableCents }),
  )
  await recordRefundEvent(em, refund, { charge, at })
  if (hasChanged) await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
  await recordMovementEvent(em, refund.movement!, refund, at)
}

/**
 * Adds late-settled refunds to `refundedCents` once no refund under way and no dispute claims the charge. Called again
 * after each of these ends. Returns whether the charge changed: then the caller records its event.
 */
export async function addLateRefunds(em: EntityManager, charge: Charge, at: Date): Promise<boolean> {
  if (!chargeMachine.accepts(charge.state, 'refund_requested')) return false
  const previousCents = charge.refundedCents
  await addSettledRefunds(em, charge)
  if (charge.refundedCents === previousCents) return false
  transitionThroughRefund(charge, at)
  return true
}

/**
 * Adds to `refundedCents` what was returned while a refund was under way, by a dispute or by a refund that settled
 * late; it could not be added then. `refundedCents` never exceeds what was received, whatever was returned.
 */
export async function addSettledRefunds(em: EntityManager, charge: Charge): Promise<void> {
  const settledCents = await sumSettledRefunds(em, charge.uuid)
  const more = Math.min(settledCents - charge.refundedCents, computeRefundableCents(charge))
  if (more > 0) addRefundedCents(charge, more)
}

/**
 * Adds centavos that the charge's owner paid alone. The share of each split counts as requested, so that no later refund
 * asks for it.
 */
function addRefundedCents(charge: Charge, cents: number): void {
  const shares = computeSplitShares(charge, cents)
  addSplitReturnRequests(
    charge,
    shares.map(({ split, cents }) => ({ splitUuid: split.uuid, requestedCents: cents })),
  )
  charge.refundedCents += cents
}

/** Adds the parts of a refund to what refunds have requested from each split. */
export function addSplitReturnRequests(
  { splits }: Charge,
  parts: Pick<RefundPart, 'splitUuid' | 'requestedCents'>[],
): void {
  for (const part of parts) {
    const split = splits.getItems().find(({ uuid }) => uuid === part.splitUuid)
    if (split) split.returnRequestedCents += part.requestedCents
  }
}

/**
 * Moves a charge to the refunded state of its `refundedCents`, through "refunding", where the money was returned
 * without a refund under way.
 */
export function transitionThroughRefund(charge: Charge, at: Date): void {
  transition(charge, chargeMachine, 'refund_requested', at)
  transitionToRefunded(charge, at)
}

function transitionToRefunded(charge: Charge, at: Date): void {
  const isWhole = charge.refundedCents === charge.receivedCents
  transition(charge, chargeMachine, isWhole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
}

function settleMovementOfRefund(refund: Refund, sending: ProviderPayout, at: Date): void {
  settleMovement(refund.movement!, sending, at)
  refund.endToEnd = refund.movement!.endToEnd
}
