import type { EntityManager } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Movement } from '../../db/entities/movement.ts'
import { Refund } from '../../db/entities/refund.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { queryEntities } from '../../db/pipeline/entity-mapper.ts'
import { batchQueries, type Query, runQuery } from '../../db/pipeline/query.ts'
import { queryAttempts } from '../../db/repositories/attempts.ts'
import { type ChargeEvent, chargeMachine } from '../../domain/charges/charge.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import { refundReleasedLegs } from '../../domain/ledger/legs.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { holdDisputedFunds } from '../disputes/hold-funds.ts'
import { lockDisputes } from '../disputes/locks.ts'
import { recordChargeEvent, recordRefundEvent } from '../events/record-event.ts'
import { computeRemaining, disputePostings, shortfallPostings } from '../ledger/apply-inflow.ts'
import { failMovement, postMovement } from '../ledger/movements.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import { describeRefusal } from '../payouts/record-outcome.ts'
import { lockChargeWithQuery, transitionCharge } from '../shared/transition.ts'
import { getRefundParties } from './open.ts'
import {
  addSettledRefunds,
  type LockedRefund,
  settleHeldRefund,
  settleLateRefund,
  transitionRefund,
} from './settle.ts'

const REFUND_MOVEMENT_SQL = 'where r.uuid = (select movement_uuid from refund where uuid = ?)'

/** A refund, which is there for as long as its life; locked, it is as it stands then. */
function queryRefund(em: EntityManager, uuid: string, lock: 'for update' | '' = ''): Query<Refund> {
  const refresh = lock !== ''
  const found = queryEntities(em, Refund, { rest: `where r.uuid = ? ${lock}`, values: [uuid], refresh })
  return { ...found, parse: rows => found.parse(rows)[0]! }
}

/** A devolução, through the provider that received the PIX. */
export const refundPayout: PayoutHandler<LockedRefund & AttemptedRow> = {
  operation: 'refund',

  async lock(em, uuid, more) {
    const { chargeUuid } = await runQuery(em, queryRefund(em, uuid))
    const beside = batchQueries(
      queryRefund(em, uuid, 'for update'),
      queryEntities(em, Movement, { rest: REFUND_MOVEMENT_SQL, values: [uuid] }),
      queryAttempts(em, { operation: 'refund', subjectUuid: uuid }),
      more,
    )
    const [charge, [refund, , attempts, heard]] = await lockChargeWithQuery(em, chargeUuid, beside)
    return [{ refund, charge, attempts }, heard]
  },

  closedReason({ refund: { state, failure } }) {
    return refundMachine.isFinal(state) ? (failure?.code ?? state) : null
  },

  getOrder: ({ refund }) => refund,

  async endUnaccepted(em, devolved) {
    const failure = { code: 'not_taken', message: ERROR_CATALOGUE.not_taken.message }
    if (refundMachine.accepts(devolved.refund.state, 'refused'))
      await endUnsentRefund(em, devolved, 'refused', failure)
  },

  async holdFunds() {
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

  async applyAcceptance(_em, { refund }) {
    applyRefundAcceptance(refund)
  },

  async applySettlement(em, devolved, attempt, sending) {
    const { refund } = devolved
    applyRefundAcceptance(refund)
    attempt.state = 'settled'
    if (refundMachine.accepts(refund.state, 'settled')) await settleHeldRefund(em, devolved, sending)
    else if (refundMachine.accepts(refund.state, 'settled_late'))
      await settleLateRefund(em, devolved, sending)
  },

  async applyRefusal(em, devolved, attempt) {
    const event = refundMachine.accepts(devolved.refund.state, 'rejected') ? 'rejected' : 'refused'
    if (refundMachine.accepts(devolved.refund.state, event))
      await endUnsentRefund(em, devolved, event, describeRefusal(attempt))
  },
}

/** Ends a refund of which nothing moved: what was held goes back, its failure is kept and announced. */
export async function endUnsentRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  event: 'refused' | 'rejected',
  failure: OperationFailure,
): Promise<void> {
  const at = new Date()
  const { accountUuid, providerAccountUuid } = charge
  const before = charge.history.at(-2) // What it showed before it was refunding.
  const parts = [...getRefundParties(refund), { accountUuid, cents: refund.feeCents }]
  const credits = parts.filter(({ cents }) => cents > 0)
  const accountUuids = parts.map(part => part.accountUuid)
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids })
  transitionRefund(refund, event, at)
  refund.failure = failure
  charge.refundingCents -= refund.valueCents
  await addSettledRefunds(em, charge)
  transitionCharge(charge, getRefundFailureEvent(charge), at)
  failMovement(refund.movement!, at)
  const repaid = await shortfallPostings(em, { providerAccountUuid, credits })
  await postMovement(em, refund.movement!, [...refundReleasedLegs(parts), ...repaid])
  // What is left again is first of all its own charge's disputes', and then those' of any other that lack cover.
  const blocked = await holdDisputedFunds(em, { movement: charge.movement!, charge }, disputes, at)
  await postMovement(
    em,
    refund.movement!,
    disputePostings(disputes, computeRemaining(credits, [...repaid, ...blocked])),
  )
  await recordRefundEvent(em, refund, { charge, at })
  if (chargeMachine.statusOf(charge.state) !== before?.status)
    await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
}

function getRefundFailureEvent({ receivedCents, refundedCents }: Charge): ChargeEvent {
  if (refundedCents === receivedCents) return 'refund_settled_whole'
  return refundedCents > 0 ? 'refund_failed_after_another' : 'refund_failed'
}

function applyRefundAcceptance(refund: Refund): void {
  if (!refundMachine.accepts(refund.state, 'accepted')) return
  const at = new Date()
  transitionRefund(refund, 'accepted', at)
  refund.acceptedAt = at
}
