import { LockMode } from '@mikro-orm/core'
import type { Charge } from '../db/entities/charge.ts'
import { Refund } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { charge as chargeLife } from '../domain/charge.ts'
import { goneUncovered, refundReleased, refundSettled } from '../domain/ledger.ts'
import type { Sending } from '../domain/provider.ts'
import { refund as life, type RefundEvent, refundableCents } from '../domain/refund.ts'
import { announceCharge, announceMovement, announceRefund } from './announce.ts'
import { lockCharge, moveCharge } from './move.ts'
import { book, failMovement, settleMovement } from './movements.ts'
import type { Outgoing } from './outgoing.ts'
import { partiesOf } from './refund-opening.ts'

/** A refund under the lock of its charge, which every refund of that charge waits for. */
type Devolution = { refund: Refund; charge: Charge }

/** A devolução, through the provider that received the PIX. */
export const devolution: Outgoing<Devolution> = {
  operation: 'refund',

  async lock(em, uuid) {
    const { chargeUuid } = await em.findOneOrFail(Refund, uuid)
    const charge = await lockCharge(em, chargeUuid)
    const refund = await em.findOneOrFail(Refund, uuid, {
      lockMode: LockMode.PESSIMISTIC_WRITE,
      strategy: 'select-in',
      populate: ['movement'],
      refresh: true,
    })
    return { refund, charge }
  },

  async begin() {
    return null // The hold was taken when the refund was stored.
  },

  send(provider, { refund, charge }, { attempt }) {
    return provider.refund({ id: attempt.reference, endToEnd: charge.endToEnd!, cents: refund.valueCents })
  },

  find(provider, { charge }, attempt) {
    return provider.findRefund({ id: attempt.reference, endToEnd: charge.endToEnd! })
  },

  async accepted(_em, { refund }) {
    accept(refund)
  },

  async settled(em, devolved, attempt, sending) {
    const { refund } = devolved
    accept(refund)
    attempt.state = 'settled'
    if (life.accepts(refund.state, 'settled')) await settle(em, devolved, sending)
    else if (life.accepts(refund.state, 'settled_late')) await settleLate(em, devolved, sending)
  },

  async refused(em, { refund, charge }, attempt) {
    const event = life.accepts(refund.state, 'rejected') ? 'rejected' : 'refused'
    if (!life.accepts(refund.state, event)) return
    const at = new Date()
    moveRefund(refund, event, at)
    refund.failure = {
      code: attempt.state === 'unreachable' ? 'no_provider_available' : (attempt.code ?? 'provider_rejected'),
      message: attempt.message ?? 'the provider refused the refund',
      ...(attempt.providerCode && { provider_code: attempt.providerCode }),
    }
    charge.refundingCents -= refund.valueCents
    moveCharge(charge, charge.refundedCents > 0 ? 'refund_failed_after_another' : 'refund_failed', at)
    failMovement(refund.movement!, at)
    await book(em, refund.movement!, [
      ...refundReleased(partiesOf(refund)),
      ...refundReleased([{ accountUuid: refund.accountUuid, cents: refund.feeCents }]),
    ])
    await announceRefund(em, refund, { charge, at })
  },
}

function accept(refund: Refund): void {
  if (!life.accepts(refund.state, 'accepted')) return
  const at = new Date()
  moveRefund(refund, 'accepted', at)
  refund.acceptedAt = at
}

async function settle(em: EntityManager, { refund, charge }: Devolution, sending: Sending): Promise<void> {
  const at = new Date()
  charge.refundingCents -= refund.valueCents
  charge.refundedCents += refund.valueCents
  const whole = charge.refundedCents === charge.receivedCents
  moveCharge(charge, whole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
  for (const part of refund.parts) {
    const split = charge.splits.getItems().find(each => each.uuid === part.split_uuid)
    if (split) split.askedBackCents += part.asked
  }
  moveRefund(refund, 'settled', at)
  settleOut(refund, sending, at)
  await book(
    em,
    refund.movement!,
    refundSettled(partiesOf(refund), { accountUuid: refund.accountUuid, cents: refund.feeCents }),
  )
  await announceAll(em, { refund, charge }, at)
}

/** It was thought to have failed and has gone after all: the owner's money follows it, covered or not. */
async function settleLate(
  em: EntityManager,
  { refund, charge }: Devolution,
  sending: Sending,
): Promise<void> {
  const at = new Date()
  const availableCents = await lockAvailable(em, charge)
  moveRefund(refund, 'settled_late', at)
  refund.failure = null
  settleOut(refund, sending, at)
  // What was received bounds what the charge can show as refunded, whatever else has gone.
  const shown = Math.min(refund.valueCents, refundableCents(charge))
  if (shown > 0 && chargeLife.accepts(charge.state, 'refund_requested')) {
    charge.refundedCents += shown
    moveCharge(charge, 'refund_requested', at)
    const whole = charge.refundedCents === charge.receivedCents
    moveCharge(charge, whole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
  }
  await book(
    em,
    refund.movement!,
    goneUncovered(charge.accountUuid, { cents: refund.valueCents, availableCents }),
  )
  await announceAll(em, { refund, charge }, at)
}

async function announceAll(em: EntityManager, { refund, charge }: Devolution, at: Date): Promise<void> {
  await announceRefund(em, refund, { charge, at })
  await announceCharge(em, charge, { at, lifeUuid: refund.uuid })
  await announceMovement(em, refund.movement!, { lifeUuid: refund.uuid, requestId: refund.requestId, at })
}

function settleOut(refund: Refund, sending: Sending, at: Date): void {
  settleMovement(refund.movement!, sending, at)
  refund.endToEnd = sending.endToEnd
}

function moveRefund(refund: Refund, event: RefundEvent, at: Date): void {
  refund.state = life.next(refund.state, event)
  refund.updatedAt = at
}
