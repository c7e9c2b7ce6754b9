import type { Charge } from '../db/entities/charge.ts'
import type { Refund, RefundPart } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { charge as chargeLife } from '../domain/charge.ts'
import { goneUncovered, refundSettled } from '../domain/ledger.ts'
import type { Sending } from '../domain/provider.ts'
import { refund as life, type RefundEvent, refundableCents } from '../domain/refund.ts'
import { announceCharge, announceMovement, announceRefund } from './announce.ts'
import { moveCharge } from './move.ts'
import { book, settleMovement } from './movements.ts'
import { askedOfSplits, partiesOf } from './refund-opening.ts'

/** What the settlement of a refund does to it, to its charge and to the ledger, in time or late. */

/** A refund under the lock of its charge, which every refund of that charge waits for. */
export type Devolution = { refund: Refund; charge: Charge }

/** It has gone as it was asked for. */
export async function settle(
  em: EntityManager,
  { refund, charge }: Devolution,
  sending: Sending,
): Promise<void> {
  const at = new Date()
  await countReturns(em, charge)
  charge.refundingCents -= refund.valueCents
  charge.refundedCents += refund.valueCents
  moveToRefunded(charge, at)
  askBack(charge, refund.parts)
  moveRefund(refund, 'settled', at)
  settleOut(refund, sending, at)
  await book(
    em,
    refund.movement!,
    refundSettled(partiesOf(refund), { accountUuid: refund.accountUuid, cents: refund.feeCents }),
  )
  await announceRefund(em, refund, { charge, at })
  await announceCharge(em, charge, { at, lifeUuid: refund.uuid })
  await announceMoved(em, refund, at)
}

/** It was thought to have failed and has gone after all: the owner's money follows it, covered or not. */
export async function settleLate(
  em: EntityManager,
  { refund, charge }: Devolution,
  sending: Sending,
): Promise<void> {
  const at = new Date()
  const availableCents = await lockAvailable(em, charge)
  moveRefund(refund, 'settled_late', at)
  refund.failure = null
  refund.feeCents = 0 // It went back with the hold, and nobody takes it again.
  settleOut(refund, sending, at)
  refund.movement!.reason = 'late_settlement'
  await em.flush() // So that it is among those that have settled.
  const counts = await countLate(em, charge, at)
  await book(
    em,
    refund.movement!,
    goneUncovered(charge.accountUuid, { cents: refund.valueCents, availableCents }),
  )
  await announceRefund(em, refund, { charge, at })
  if (counts) await announceCharge(em, charge, { at, lifeUuid: refund.uuid })
  await announceMoved(em, refund, at)
}

/**
 * Adds late-settled refunds to `refundedCents` once no running refund and no dispute claims the charge. Called again after
 * each of these ends. Returns whether the charge changed and has to be announced.
 */
export async function countLate(em: EntityManager, charge: Charge, at: Date): Promise<boolean> {
  if (!chargeLife.accepts(charge.state, 'refund_requested')) return false
  const before = charge.refundedCents
  await countReturns(em, charge)
  if (charge.refundedCents === before) return false
  moveThroughRefund(charge, at)
  return true
}

/**
 * What went back while a refund was running, by a dispute or by an earlier refund that settled late, could not count for
 * the charge then; it counts when that refund is through. What was received bounds what is shown, whatever has gone.
 */
export async function countReturns(em: EntityManager, charge: Charge): Promise<void> {
  const [row]: { cents: string }[] = await em.execute(
    `select coalesce(sum(value_cents), 0) as cents from refund where charge_uuid = ? and state = 'settled'`,
    [charge.uuid],
  )
  const more = Math.min(Number(row?.cents) - charge.refundedCents, refundableCents(charge))
  if (more > 0) count(charge, more)
}

/** The owner paid it all; what it would have asked of each split counts as asked, so that no later refund asks for it. */
function count(charge: Charge, cents: number): void {
  const asked = askedOfSplits(charge, cents)
  askBack(
    charge,
    asked.map(({ split, cents }) => ({ split_uuid: split.uuid, asked: cents })),
  )
  charge.refundedCents += cents
}

/** What each split has been asked for by refunds so far, these included. */
export function askBack({ splits }: Charge, parts: Pick<RefundPart, 'split_uuid' | 'asked'>[]): void {
  for (const part of parts) {
    const split = splits.getItems().find(({ uuid }) => uuid === part.split_uuid)
    if (split) split.askedBackCents += part.asked
  }
}

/** What went back without a refund that runs: the charge passes through one, to what all of them have come to. */
export function moveThroughRefund(charge: Charge, at: Date): void {
  moveCharge(charge, 'refund_requested', at)
  moveToRefunded(charge, at)
}

function moveToRefunded(charge: Charge, at: Date): void {
  const whole = charge.refundedCents === charge.receivedCents
  moveCharge(charge, whole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
}

function announceMoved(em: EntityManager, { uuid, requestId, movement }: Refund, at: Date): Promise<void> {
  return announceMovement(em, movement!, { lifeUuid: uuid, requestId, at })
}

function settleOut(refund: Refund, sending: Sending, at: Date): void {
  settleMovement(refund.movement!, sending, at)
  refund.endToEnd = refund.movement!.endToEnd
}

export function moveRefund(refund: Refund, event: RefundEvent, at: Date): void {
  refund.state = life.next(refund.state, event)
  refund.updatedAt = at
}
