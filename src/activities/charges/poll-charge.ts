import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { mapQuery, type Query, runQuery, transactionReturning } from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { type ChargeState, chargeMachine } from '../../domain/charges/charge.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { CancelChargeOutcome, FoundCharge } from '../../domain/providers/provider.ts'
import { type FollowUps, pendingFollowUps } from '../events/follow-ups.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { guardNotFoundByOrderTime } from '../shared/credentials-epoch.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { lockCharge, transitionCharge } from '../shared/transition.ts'
import { recordPayments } from './record-payments.ts'

/** Where a charge stands after its provider was asked. */
export type PollChargeResult =
  /** `listedPaymentCount`: how many payments the provider lists, where it was asked for them. */
  | (FollowUps & { kind: 'known'; state: ChargeState; listedPaymentCount?: number })
  /** How it ends was not learned: ask again. What was paid is taken all the same. */
  | (Partial<FollowUps> & { kind: 'no_answer'; state: ChargeState; code: string })

/** `closing`: the payload's time is over, so a provider that says "not paid" makes the charge EXPIRED. */
export type PollChargeInput = { chargeUuid: string; isPayloadExpired: boolean }

/** Asks the provider of a charge what it knows and takes its answer, all in one transaction under the row lock. */
export function pollCharge(dependencies: ActivityDependencies) {
  return async ({ chargeUuid, isPayloadExpired: closing }: PollChargeInput): Promise<PollChargeResult> => {
    const em = dependencies.orm.em.fork()
    const charge = await em.findOneOrFail(Charge, chargeUuid, { populate: ['connection'] })
    const { connection, provider } = await loadProviderConnection(dependencies, em, charge.connection.uuid)
    const found = await provider.findCharge(referenceOf(chargeUuid))
    await recordCircuitResult(em, connection, found)
    // A provider that issued a charge and does not find it has not answered the question.
    if (found.kind === 'not_found') return { kind: 'no_answer', state: charge.state, code: 'not_found' }
    if (found.kind === 'no_answer') return { kind: 'no_answer', state: charge.state, code: found.code }
    return transactionReturning(dependencies.orm, tx =>
      applyChargePoll(tx, { chargeUuid, isPayloadExpired: closing, found }),
    )
  }
}

/** Cancels a charge at its provider, then here; what the provider cannot cancel, it is asked about. */
export function cancelChargeAtProvider(dependencies: ActivityDependencies) {
  return async ({ chargeUuid }: { chargeUuid: string }): Promise<PollChargeResult> => {
    const em = dependencies.orm.em.fork()
    const { charge, again } = await runInTransaction(dependencies.orm, tx =>
      requestCancellation(tx, chargeUuid),
    )
    if (!chargeMachine.accepts(charge.state, 'cancelled')) return runQuery(em, queryKnownCharge(charge))
    const { connection, provider } = await loadProviderConnection(dependencies, em, charge.connection.uuid)
    const answer = await provider.cancelCharge(referenceOf(chargeUuid))
    await recordCircuitResult(em, connection, answer)
    const outcome = guardNotFoundByOrderTime(answer, { orderedAt: charge.createdAt, connection })
    if (!again && hasRemovedNothing(answer))
      await em.nativeUpdate(Charge, chargeUuid, { cancelUnanswered: false })
    switch (outcome.kind) {
      case 'cancelled':
        return transactionReturning(dependencies.orm, tx => recordCancellation(tx, chargeUuid))
      case 'refused': {
        const followed = await pollCharge(dependencies)({ chargeUuid, isPayloadExpired: false })
        // Who wanted it hears now that it stays, and no later run cancels it behind his back.
        if (followed.kind === 'known') await em.nativeUpdate(Charge, chargeUuid, { cancelRequestedAt: null })
        return followed
      }
      case 'not_found':
        // Some providers forget what was cancelled: the answer to an earlier request was lost, not the request.
        if (again) return transactionReturning(dependencies.orm, tx => recordCancellation(tx, chargeUuid))
        return { kind: 'no_answer', state: charge.state, code: 'not_found' }
      case 'no_answer':
        return { kind: 'no_answer', state: charge.state, code: outcome.code }
    }
  }
}

/** Remembers the wish, and until there is an answer that the request may be what removes the payload. */
async function requestCancellation(em: EntityManager, chargeUuid: string) {
  const charge = await lockCharge(em, chargeUuid)
  const again = charge.cancelUnanswered
  if (chargeMachine.accepts(charge.state, 'cancelled')) {
    charge.cancelRequestedAt ??= new Date()
    charge.cancelUnanswered = true
  }
  return { charge, again }
}

/** Whether a request provably is not why its provider knows the payload no more. */
function hasRemovedNothing(outcome: CancelChargeOutcome): boolean {
  if (outcome.kind === 'no_answer') return outcome.isUnprocessed === true
  return outcome.kind !== 'cancelled'
}

async function recordCancellation(em: EntityManager, chargeUuid: string): Promise<Query<PollChargeResult>> {
  const charge = await lockCharge(em, chargeUuid)
  await endPendingCharge(em, charge, 'cancelled')
  return queryKnownCharge(charge)
}

type ChargePoll = PollChargeInput & { found: FoundCharge }

async function applyChargePoll(
  em: EntityManager,
  { chargeUuid, isPayloadExpired: closing, found }: ChargePoll,
): Promise<Query<PollChargeResult>> {
  const charge = await lockCharge(em, chargeUuid)
  await recordPayments(em, charge, found.payments)
  const paying = found.payments.some(payment => payment.status === 'in_process')
  if (found.status === 'removed' && !paying) await endPendingCharge(em, charge, 'cancelled')
  const unended = getStillOpenCode(found.status)
  if (closing && !paying && unended !== null && chargeMachine.accepts(charge.state, 'payload_expired'))
    return queryWithFollowUps(charge, { kind: 'no_answer', code: unended })
  if (closing && !paying && unended === null) await endPendingCharge(em, charge, 'payload_expired')
  return queryWithFollowUps(charge, { kind: 'known', listedPaymentCount: found.payments.length })
}

/** Why a charge is not over at its provider; only what is called over there, and not paid, is EXPIRED here. */
export function getStillOpenCode(status: FoundCharge['status']): string | null {
  switch (status) {
    case 'open': // Past its time: the provider's clock is behind ours.
      return 'still_open'
    case 'completed':
      return 'payment_not_listed'
    case 'removed':
    case 'expired':
      return null
  }
}

/** Ends a pending charge and announces it; any other state keeps what it has. */
async function endPendingCharge(
  em: EntityManager,
  charge: Charge,
  event: 'cancelled' | 'payload_expired',
): Promise<void> {
  if (!chargeMachine.accepts(charge.state, event)) return
  const at = new Date()
  transitionCharge(charge, event, at)
  await recordChargeEvent(em, charge, { at })
}

function queryKnownCharge(charge: Charge): Query<PollChargeResult> {
  return queryWithFollowUps(charge, { kind: 'known' })
}

function queryWithFollowUps<Fate>({ uuid, state }: Charge, fate: Fate) {
  return mapQuery(pendingFollowUps(uuid), left => ({ state, ...fate, ...left }))
}
