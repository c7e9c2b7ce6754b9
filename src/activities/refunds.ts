import { randomUUID } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { Charge } from '../db/entities/charge.ts'
import { Movement } from '../db/entities/movement.ts'
import { Refund, type RefundPart } from '../db/entities/refund.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { lockAvailable, post } from '../db/post.ts'
import { charge as chargeLife } from '../domain/charge.ts'
import {
  goneUncovered,
  type Leg,
  type Part,
  refundHeld,
  refundReleased,
  refundSettled,
  transferHeld,
} from '../domain/ledger.ts'
import { feeOf } from '../domain/money.ts'
import type { Sending } from '../domain/provider.ts'
import {
  refund as life,
  owedBySplits,
  type RefundEvent,
  type RefundState,
  refundableCents,
  whyNotRefundable,
} from '../domain/refund.ts'
import type { RefundOrder } from '../workflows/messages.ts'
import { announceCharge, announceMovement, announceRefund, type LeftToDo, leftToDo } from './announce.ts'
import type { Dependencies } from './dependencies.ts'
import { lockCharge, moveCharge } from './move.ts'
import type { Outgoing } from './outgoing.ts'

/** A refund under the lock of its charge, which every refund of that charge waits for. */
type Devolution = { refund: Refund; charge: Charge }

export type OpenedRefund = LeftToDo & { state: RefundState }

/**
 * Stores a refund and holds its money, or stores it FAILED where the charge cannot be refunded any more: everything is
 * decided here, under the charge's row lock, so that any number of requests never exceed what was received (SPEC §3).
 */
export function openRefund(dependencies: Dependencies) {
  return (order: RefundOrder): Promise<OpenedRefund> =>
    inTransaction(dependencies.orm, async em => {
      const charge = await lockCharge(em, order.chargeUuid)
      const stored = await em.findOne(Refund, order.uuid)
      if (stored) return { state: stored.state, ...(await leftToDo(em, stored.uuid)) }
      const feeCents = feeOf(order.valueCents, charge.connection.fees.refund)
      const parts = await partsOf(em, charge, order.valueCents)
      const code =
        whyNot(charge, order.valueCents) ?? (await lacks(em, charge, ownersPart(charge, parts) + feeCents))
      const refund = await store(em, order, { charge, feeCents, parts, code })
      return { state: refund.state, ...(await leftToDo(em, refund.uuid)) }
    })
}

/** The same questions the request was asked, with the answers of now. */
function whyNot(charge: Charge, valueCents: number) {
  const why = whyNotRefundable(charge, new Date())
  return why ?? (valueCents > refundableCents(charge) ? 'refund_above_remainder' : null)
}

/** What each split gives back as far as it can, and the owner the rest. */
async function partsOf(em: EntityManager, charge: Charge, valueCents: number): Promise<RefundPart[]> {
  const credited = charge.splits.getItems().filter(split => split.status === 'CREDITED')
  const owed = owedBySplits(
    credited.map(split => ({
      uuid: split.uuid,
      accountUuid: split.recipient.uuid,
      creditedCents: split.creditedCents,
      askedBackCents: split.askedBackCents,
    })),
    { receivedCents: charge.receivedCents, refundedCents: charge.refundedCents, valueCents },
  )
  const available = await availableOf(
    em,
    charge,
    owed.map(each => each.split.accountUuid),
  )
  const parts = owed.map(({ split, cents: asked }) => {
    const cents = Math.min(asked, available.get(split.accountUuid) ?? 0)
    available.set(split.accountUuid, (available.get(split.accountUuid) ?? 0) - cents)
    return { account_uuid: split.accountUuid, split_uuid: split.uuid, cents, asked }
  })
  const rest = valueCents - parts.reduce((sum, part) => sum + part.cents, 0)
  return [...parts, { account_uuid: charge.accountUuid, split_uuid: null, cents: rest, asked: rest }]
}

/** Locked in sorted order, like all balances. */
async function availableOf(
  em: EntityManager,
  charge: Charge,
  accountUuids: string[],
): Promise<Map<string, number>> {
  const { providerAccountUuid } = charge
  const available = new Map<string, number>()
  for (const accountUuid of [...new Set([...accountUuids, charge.accountUuid])].sort())
    available.set(accountUuid, await lockAvailable(em, { accountUuid, providerAccountUuid }))
  return available
}

function ownersPart(charge: Charge, parts: RefundPart[]): number {
  return parts.find(part => part.split_uuid === null && part.account_uuid === charge.accountUuid)?.cents ?? 0
}

async function lacks(em: EntityManager, charge: Charge, cents: number) {
  return (await lockAvailable(em, charge)) < cents ? 'insufficient_balance' : null
}

type Opening = { charge: Charge; feeCents: number; parts: RefundPart[]; code: string | null }

async function store(
  em: EntityManager,
  order: RefundOrder,
  { charge, feeCents, parts, code }: Opening,
): Promise<Refund> {
  const at = new Date()
  const movement = await newMovement(em, charge, { order, failed: code !== null, at })
  const refund = em.create(Refund, {
    uuid: order.uuid,
    chargeUuid: charge.uuid,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    providerAccountUuid: charge.providerAccountUuid,
    state: code === null ? 'sending' : 'failed',
    valueCents: order.valueCents,
    feeCents: code === null ? feeCents : 0,
    parts: code === null ? parts : [],
    movement,
    failure: code === null ? null : { code, message: 'the charge cannot be refunded by this value now' },
    requestId: order.requestId,
    fingerprint: order.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
  if (code === null) {
    charge.refundingCents += order.valueCents
    moveCharge(charge, 'refund_requested', at)
    await em.flush()
    await book(em, refund, [...refundHeld(partiesOf(refund)), ...transferHeld(charge.accountUuid, feeCents)])
  }
  await em.flush()
  movement.refundUuid = refund.uuid
  if (code !== null) await announceRefund(em, refund, { charge, at })
  return refund
}

async function newMovement(
  em: EntityManager,
  charge: Charge,
  { order, failed, at }: { order: RefundOrder; failed: boolean; at: Date },
): Promise<Movement> {
  const movement = em.create(Movement, {
    uuid: randomUUID(),
    accountUuid: charge.accountUuid,
    providerAccountUuid: charge.providerAccountUuid,
    connectionUuid: charge.connection.uuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    valueCents: order.valueCents,
    status: failed ? 'FAILED' : 'PENDING',
    sender: charge.receiver,
    receiver: charge.movement?.sender,
    chargeUuid: charge.uuid,
    originalUuid: charge.movement?.uuid,
    createdAt: at,
    updatedAt: at,
  })
  await em.flush()
  return movement
}

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
    if (life.accepts(refund.state, 'accepted')) moveRefund(refund, 'accepted', new Date())
  },

  async settled(em, devolved, attempt, sending) {
    const { refund } = devolved
    if (life.accepts(refund.state, 'accepted')) moveRefund(refund, 'accepted', new Date())
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
    refund.movement!.status = 'FAILED'
    refund.movement!.updatedAt = at
    await em.flush()
    await book(em, refund, [
      ...refundReleased(partiesOf(refund)),
      ...refundReleased([{ accountUuid: refund.accountUuid, cents: refund.feeCents }]),
    ])
    await announceRefund(em, refund, { charge, at })
  },
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
  settleMovement(refund, sending, at)
  await em.flush()
  await book(
    em,
    refund,
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
  settleMovement(refund, sending, at)
  // What was received bounds what the charge can show as refunded, whatever else has gone.
  const shown = Math.min(refund.valueCents, refundableCents(charge))
  if (shown > 0 && chargeLife.accepts(charge.state, 'refund_requested')) {
    charge.refundedCents += shown
    moveCharge(charge, 'refund_requested', at)
    const whole = charge.refundedCents === charge.receivedCents
    moveCharge(charge, whole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
  }
  await em.flush()
  await book(em, refund, goneUncovered(charge.accountUuid, { cents: refund.valueCents, availableCents }))
  await announceAll(em, { refund, charge }, at)
}

async function announceAll(em: EntityManager, { refund, charge }: Devolution, at: Date): Promise<void> {
  await announceRefund(em, refund, { charge, at })
  await announceCharge(em, charge, { at, lifeUuid: refund.uuid })
  await announceMovement(em, refund.movement!, { lifeUuid: refund.uuid, requestId: refund.requestId, at })
}

function settleMovement(refund: Refund, sending: Sending, at: Date): void {
  const movement = refund.movement!
  movement.status = 'SETTLED'
  movement.endToEnd = sending.endToEnd
  movement.settledAt = sending.at ? new Date(sending.at) : at
  movement.updatedAt = at
  refund.endToEnd = sending.endToEnd
}

function moveRefund(refund: Refund, event: RefundEvent, at: Date): void {
  refund.state = life.next(refund.state, event)
  refund.updatedAt = at
}

function partiesOf(refund: Refund): Part[] {
  return refund.parts.map(part => ({ accountUuid: part.account_uuid, cents: part.cents }))
}

function book(em: EntityManager, refund: Refund, legs: Leg[]): Promise<void> {
  return post(em, [
    { movementUuid: refund.movement!.uuid, providerAccountUuid: refund.providerAccountUuid, legs },
  ])
}
