import { attemptsOf } from '../db/attempts.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { Charge } from '../db/entities/charge.ts'
import { Movement } from '../db/entities/movement.ts'
import { Refund } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { all, ask, type Question } from '../db/questions.ts'
import { entities } from '../db/reading.ts'
import { type ChargeEvent, charge as chargeLife } from '../domain/charge.ts'
import { goneUncovered, refundReleased, refundSettled } from '../domain/ledger.ts'
import type { Sending } from '../domain/provider.ts'
import { refund as life, type RefundEvent, refundableCents } from '../domain/refund.ts'
import { announceCharge, announceMovement, announceRefund } from './announce.ts'
import { shortfallsRepaid } from './inflow.ts'
import { coverDisputes } from './med-cover.ts'
import { lockDisputes } from './med-locks.ts'
import { lockChargeBeside, moveCharge } from './move.ts'
import { book, failMovement, settleMovement } from './movements.ts'
import type { Outgoing, Tried } from './outgoing.ts'
import { askedOfSplits, partiesOf } from './refund-opening.ts'

/** A refund under the lock of its charge, which every refund of that charge waits for. */
type Devolution = { refund: Refund; charge: Charge }

const MOVEMENT_OF_REFUND = 'where r.uuid = (select movement_uuid from refund where uuid = ?)'

/** A refund, which is there for as long as its life; locked, it is as it stands then. */
function refundBy(em: EntityManager, uuid: string, lock: 'for update' | '' = ''): Question<Refund> {
  const refresh = lock !== ''
  const found = entities(em, Refund, { rest: `where r.uuid = ? ${lock}`, values: [uuid], refresh })
  return { ...found, heard: rows => found.heard(rows)[0]! }
}

/** A devolução, through the provider that received the PIX. */
export const devolution: Outgoing<Devolution & Tried> = {
  operation: 'refund',

  async lock(em, uuid, more) {
    const { chargeUuid } = await ask(em, refundBy(em, uuid))
    const beside = all(
      refundBy(em, uuid, 'for update'),
      entities(em, Movement, { rest: MOVEMENT_OF_REFUND, values: [uuid] }),
      attemptsOf(em, { operation: 'refund', subjectUuid: uuid }),
      more,
    )
    const [charge, [refund, , attempts, heard]] = await lockChargeBeside(em, chargeUuid, beside)
    return [{ refund, charge, attempts }, heard]
  },

  async begin() {
    return null // The hold was taken when the refund was stored.
  },

  send(provider, { refund, charge }, { attempt }) {
    return provider.refund({ id: attempt.reference, endToEnd: charge.endToEnd!, cents: refund.valueCents })
  },

  async find(provider, attempt, em) {
    const { chargeUuid } = await em.findOneOrFail(Refund, attempt.subjectUuid)
    const { endToEnd } = await em.findOneOrFail(Charge, chargeUuid)
    return provider.findRefund({ id: attempt.reference, endToEnd: endToEnd! })
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
    const { accountUuid, providerAccountUuid } = charge
    const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
    moveRefund(refund, event, at)
    refund.failure = {
      code: whyRefused(attempt),
      message: attempt.message ?? 'the provider refused the refund',
      ...(attempt.providerCode && { provider_code: attempt.providerCode }),
    }
    charge.refundingCents -= refund.valueCents
    await countReturns(em, charge)
    moveCharge(charge, whatFailureMeans(charge), at)
    failMovement(refund.movement!, at)
    const parts = [...partiesOf(refund), { accountUuid: refund.accountUuid, cents: refund.feeCents }]
    const credits = parts.filter(({ cents }) => cents > 0)
    await book(em, refund.movement!, [
      ...refundReleased(parts),
      ...(await shortfallsRepaid(em, { providerAccountUuid, credits })),
    ])
    // What is left again is first of all a dispute's that has opened meanwhile.
    await coverDisputes(em, { movement: charge.movement!, charge }, disputes, at)
    await announceRefund(em, refund, { charge, at })
    if (charge.state === 'refunded') await announceCharge(em, charge, { at, lifeUuid: refund.uuid })
  },
}

/**
 * A dispute's return may have taken what this refund was to: it was gone uncovered then, and counts for the charge now
 * that the refund has not gone.
 */
async function countReturns(em: EntityManager, charge: Charge): Promise<void> {
  const [row]: { cents: string }[] = await em.execute(
    `select coalesce(sum(value_cents), 0) as cents from refund where charge_uuid = ? and state = 'settled'`,
    [charge.uuid],
  )
  const more = Math.min(Number(row?.cents) - charge.refundedCents, refundableCents(charge))
  if (more <= 0) return
  for (const { split, cents } of askedOfSplits(charge, more))
    charge.splits.getItems().find(({ uuid }) => uuid === split.uuid)!.askedBackCents += cents
  charge.refundedCents += more
}

function whatFailureMeans({ receivedCents, refundedCents }: Charge): ChargeEvent {
  if (refundedCents === receivedCents) return 'refund_settled_whole'
  return refundedCents > 0 ? 'refund_failed_after_another' : 'refund_failed'
}

function whyRefused({ state, code }: Attempt): string {
  if (state === 'unreachable' && code !== 'paused') return 'no_provider_available'
  return code ?? 'provider_rejected'
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
