import { attemptsOf } from '../db/attempts.ts'
import { Charge } from '../db/entities/charge.ts'
import { Movement } from '../db/entities/movement.ts'
import { Refund } from '../db/entities/refund.ts'
import type { Failure } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { all, ask, type Question } from '../db/questions.ts'
import { entities } from '../db/reading.ts'
import { type ChargeEvent, charge as chargeLife } from '../domain/charge.ts'
import { REFUSALS } from '../domain/errors.ts'
import { refundReleased } from '../domain/ledger.ts'
import { refund as life } from '../domain/refund.ts'
import { announceCharge, announceRefund } from './announce.ts'
import { leftOf, retained, shortfallsRepaid } from './inflow.ts'
import { coverDisputes } from './med-cover.ts'
import { lockDisputes } from './med-locks.ts'
import { lockChargeBeside, moveCharge } from './move.ts'
import { book, failMovement } from './movements.ts'
import { refusalOf } from './outcomes.ts'
import type { Outgoing, Tried } from './outgoing.ts'
import { partiesOf } from './refund-opening.ts'
import { countReturns, type Devolution, moveRefund, settle, settleLate } from './refund-settlements.ts'

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

  over({ refund: { state, failure } }) {
    return life.isOver(state) ? (failure?.code ?? state) : null
  },

  orderOf: ({ refund }) => refund,

  async notTaken(em, devolved) {
    const failure = { code: 'not_taken', message: REFUSALS.not_taken.message }
    if (life.accepts(devolved.refund.state, 'refused')) await endUnsent(em, devolved, 'refused', failure)
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

  async refused(em, devolved, attempt) {
    const event = life.accepts(devolved.refund.state, 'rejected') ? 'rejected' : 'refused'
    if (life.accepts(devolved.refund.state, event)) await endUnsent(em, devolved, event, refusalOf(attempt))
  },
}

/** Ends a refund of which nothing moved: what was held goes back, its failure is kept and announced. */
export async function endUnsent(
  em: EntityManager,
  { refund, charge }: Devolution,
  event: 'refused' | 'rejected',
  failure: Failure,
): Promise<void> {
  const at = new Date()
  const { accountUuid, providerAccountUuid } = charge
  const before = charge.history.at(-2) // What it showed before it was refunding.
  const parts = [...partiesOf(refund), { accountUuid, cents: refund.feeCents }]
  const credits = parts.filter(({ cents }) => cents > 0)
  const accountUuids = parts.map(part => part.accountUuid)
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids })
  moveRefund(refund, event, at)
  refund.failure = failure
  charge.refundingCents -= refund.valueCents
  await countReturns(em, charge)
  moveCharge(charge, whatFailureMeans(charge), at)
  failMovement(refund.movement!, at)
  const repaid = await shortfallsRepaid(em, { providerAccountUuid, credits })
  await book(em, refund.movement!, [...refundReleased(parts), ...repaid])
  // What is left again is first of all its own charge's disputes', and then those' of any other that lack cover.
  const blocked = await coverDisputes(em, { movement: charge.movement!, charge }, disputes, at)
  await book(em, refund.movement!, retained(disputes, leftOf(credits, [...repaid, ...blocked])))
  await announceRefund(em, refund, { charge, at })
  if (chargeLife.shows(charge.state) !== before?.status)
    await announceCharge(em, charge, { at, lifeUuid: refund.uuid })
}

function whatFailureMeans({ receivedCents, refundedCents }: Charge): ChargeEvent {
  if (refundedCents === receivedCents) return 'refund_settled_whole'
  return refundedCents > 0 ? 'refund_failed_after_another' : 'refund_failed'
}

function accept(refund: Refund): void {
  if (!life.accepts(refund.state, 'accepted')) return
  const at = new Date()
  moveRefund(refund, 'accepted', at)
  refund.acceptedAt = at
}
