import type { EntityManager } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Refund } from '../../db/entities/refund.ts'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { queryMovementOf } from '../../db/locks.ts'
import { batchQueries, runQuery } from '../../db/pipeline/query.ts'
import { queryAttempts } from '../../db/repositories/attempts.ts'
import { querySettledRefundCents } from '../../db/repositories/charges.ts'
import { hasLaterRefund, hasOtherLiveRefund, queryRefund } from '../../db/repositories/refunds.ts'
import { type ChargeEvent, chargeMachine } from '../../domain/charges/charge.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { feeReleasedLegs, refundReleasedLegs } from '../../domain/ledger/legs.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type { ProviderRefundRequest } from '../../domain/providers/provider.ts'
import { refundMachine } from '../../domain/refunds/refund.ts'
import { recordChargeEvent, recordRefundEvent } from '../events/record-event.ts'
import { computeRemaining, disputePostings, queryShortfallPostings } from '../ledger/apply-inflow.ts'
import { holdDisputedFunds } from '../ledger/dispute-claims.ts'
import { lockDisputesWithQuery } from '../ledger/dispute-locks.ts'
import { failMovement, postMovement } from '../ledger/movements.ts'
import { releaseLimitRoom } from '../limits/limit-room.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'
import { describeRefusal } from '../shared/attempts.ts'
import { lockChargeWithQuery, transition, transitionAttempt } from '../shared/transition.ts'
import { getSplitParts } from './open.ts'
import { addSettledRefunds, type LockedRefund, settleHeldRefund, settleLateRefund } from './settle.ts'

/** `returnedCents`: what was returned of the charge, by the merchant, by a dispute or in the provider's panel. */
type RefundRow = LockedRefund & AttemptedRow & { returnedCents: number }

/** Implements the payout rules of a refund (devolução), sent through the provider that received the PIX. */
export const refundPayout: PayoutHandler<RefundRow> = {
  operation: 'refund',

  async lock(em, uuid, more) {
    const { chargeUuid } = await runQuery(em, queryRefund(em, uuid))
    const queries = batchQueries(
      queryRefund(em, uuid, 'for update'),
      queryMovementOf(em, 'refund', uuid),
      queryAttempts(em, { operation: 'refund', subjectUuid: uuid }),
      querySettledRefundCents(chargeUuid),
      more,
    )
    const [charge, [refund, , attempts, returnedCents, result]] = await lockChargeWithQuery(
      em,
      chargeUuid,
      queries,
    )
    return [{ refund, charge, attempts, returnedCents }, result]
  },

  /**
   * A refund that the provider does not have, and for which too little of the PIX is left meanwhile, is not sent again:
   * the provider would refuse it, and not every provider documents by which answer.
   */
  closedReason({ refund: { state, failure, valueCents }, charge, attempts, returnedCents }) {
    if (refundMachine.isFinal(state)) return failure?.code ?? state
    const isTooLarge = returnedCents + valueCents > charge.receivedCents
    return attempts.length > 0 && isTooLarge ? 'refund_above_remainder' : null
  },

  getOrdered: ({ refund }) => ({ cents: refund.valueCents }),

  getOrder: ({ refund }) => refund,

  async endUnaccepted(em, locked) {
    if (refundMachine.accepts(locked.refund.state, 'refused'))
      await endUnsentRefund(em, locked, 'refused', failureOf('not_started'))
  },

  /** The money has been held since the refund was stored. */
  async holdFunds(em, { refund, charge }, { dialect }) {
    if (!PROVIDER_CAPABILITIES[dialect].refundsOneAtATime) return null
    return (await hasOtherLiveRefund(em, refund, charge)) ? REFUND_IN_PROGRESS : null
  },

  needsPreparation: provider => provider.prepareRefund !== undefined,

  prepare(provider, locked, { turn }) {
    return provider.prepareRefund!({ ...buildRefundRequest(locked), turn })
  },

  send(provider, locked, { handle, turn }) {
    return provider.refund({ ...buildRefundRequest(locked), turn }, handle)
  },

  async find(provider, { subjectUuid, handle }, em) {
    const { chargeUuid } = await em.findOneOrFail(Refund, subjectUuid)
    const { endToEnd } = await em.findOneOrFail(Charge, chargeUuid)
    return provider.findRefund({
      id: referenceOf(subjectUuid),
      endToEnd: endToEnd!,
      ...(handle && { handle }),
    })
  },

  async mayShowLaterPayout(em, attempt, { dialect }) {
    return PROVIDER_CAPABILITIES[dialect].refundsOneAtATime && hasLaterRefund(em, attempt)
  },

  async applyAcceptance(_em, { refund }) {
    applyRefundAcceptance(refund)
  },

  async applySettlement(em, locked, attempt, payout) {
    const { refund } = locked
    applyRefundAcceptance(refund)
    transitionAttempt(attempt, 'settled')
    if (refundMachine.accepts(refund.state, 'settled')) await settleHeldRefund(em, locked, payout)
    else if (refundMachine.accepts(refund.state, 'settled_late')) await settleLateRefund(em, locked, payout)
  },

  async applyRefusal(em, locked, attempt) {
    const event = refundMachine.accepts(locked.refund.state, 'rejected') ? 'rejected' : 'refused'
    if (refundMachine.accepts(locked.refund.state, event))
      await endUnsentRefund(em, locked, event, describeRefusal(attempt))
  },
}

const REFUND_IN_PROGRESS = {
  code: 'refund_in_progress',
  message: 'Another refund of this PIX is under way at its provider, which carries out one at a time.',
}

function buildRefundRequest({ refund, charge }: LockedRefund): ProviderRefundRequest {
  return {
    id: referenceOf(refund.uuid),
    endToEnd: charge.endToEnd!,
    cents: refund.valueCents,
    ...(refund.description && { description: refund.description }),
  }
}

/**
 * Ends a refund of which no money moved: releases its hold, stores its failure, writes the events. The caller holds the
 * row locks of `refundPayout.lock`.
 */
export async function endUnsentRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  event: 'refused' | 'rejected',
  failure: OperationFailure,
): Promise<void> {
  const at = new Date()
  const { accountUuid, providerAccountUuid } = charge
  const previous = charge.history.at(-2) // The status before this refund.
  const { valueCents, feeCents } = refund
  const splitParts = getSplitParts(refund)
  const ownCents = Math.max(
    0,
    splitParts.reduce((rest, part) => rest - part.cents, valueCents),
  )
  const credits = [...splitParts, { accountUuid, cents: ownCents + feeCents }]
  const accountUuids = credits.map(credit => credit.accountUuid)
  const [disputes, shortfallLegs] = await lockDisputesWithQuery(
    em,
    { providerAccountUuid, accountUuids },
    queryShortfallPostings({ providerAccountUuid, credits }),
  )
  transition(refund, refundMachine, event, at)
  await releaseLimitRoom(em, refund, charge.connection)
  refund.failure = failure
  charge.refundingCents -= valueCents
  await addSettledRefunds(em, charge)
  transition(charge, chargeMachine, getRefundFailureEvent(charge), at)
  failMovement(refund.movement!, at)
  const releasedLegs = [
    ...feeReleasedLegs(accountUuid, feeCents),
    ...refundReleasedLegs({ ownerUuid: accountUuid, valueCents, splitParts }),
  ]
  await postMovement(em, refund.movement!, [...releasedLegs, ...shortfallLegs])
  // The released money covers the disputes of this charge first, then other disputes that lack cover.
  const disputeLegs = await holdDisputedFunds(em, { movement: charge.movement!, charge }, disputes, at)
  await postMovement(
    em,
    refund.movement!,
    disputePostings(disputes, computeRemaining(credits, [...shortfallLegs, ...disputeLegs])),
  )
  await recordRefundEvent(em, refund, { charge, at })
  if (chargeMachine.statusOf(charge.state) !== previous?.status)
    await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
}

function getRefundFailureEvent({ receivedCents, refundedCents }: Charge): ChargeEvent {
  if (refundedCents === receivedCents) return 'refund_settled_whole'
  return refundedCents > 0 ? 'refund_failed_after_another' : 'refund_failed'
}

function applyRefundAcceptance(refund: Refund): void {
  if (!refundMachine.accepts(refund.state, 'accepted')) return
  const at = new Date()
  transition(refund, refundMachine, 'accepted', at)
  refund.acceptedAt = at
}
