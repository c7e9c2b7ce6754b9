import { tellBreaker } from '../db/breaker.ts'
import { Charge } from '../db/entities/charge.ts'
import { type EntityManager, inTransaction } from '../db/orm.ts'
import { ask, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import { type ChargeState, charge as life } from '../domain/charge.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { CancelOutcome, FoundCharge } from '../domain/provider.ts'
import { announceCharge } from './announce.ts'
import { reach } from './connections.ts'
import { answerSinceOrder } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo } from './left-to-do.ts'
import { lockCharge, moveCharge } from './move.ts'
import { takePayments } from './payments.ts'

/** Where a charge stands after its provider was asked. */
export type Followed =
  /** `paymentsListed`: how many payments the provider lists, where it was asked for them. */
  | (LeftToDo & { kind: 'known'; state: ChargeState; paymentsListed?: number })
  /** How it ends was not learned: ask again. What was paid is taken all the same. */
  | (Partial<LeftToDo> & { kind: 'no_answer'; state: ChargeState; code: string })

/** `closing`: the payload's time is over, so a provider that says "not paid" makes the charge EXPIRED. */
export type ChargeAsked = { chargeUuid: string; closing: boolean }

/** Asks the provider of a charge what it knows and takes its answer, all in one transaction under the row lock. */
export function followCharge(dependencies: Dependencies) {
  return async ({ chargeUuid, closing }: ChargeAsked): Promise<Followed> => {
    const em = dependencies.orm.em.fork()
    const charge = await em.findOneOrFail(Charge, chargeUuid, { populate: ['connection'] })
    const { connection, provider } = await reach(dependencies, em, charge.connection.uuid)
    const found = await provider.findCharge(referenceOf(chargeUuid))
    await tellBreaker(em, connection, found)
    // A provider that issued a charge and does not find it has not answered the question.
    if (found.kind === 'not_found') return { kind: 'no_answer', state: charge.state, code: 'not_found' }
    if (found.kind === 'no_answer') return { kind: 'no_answer', state: charge.state, code: found.code }
    return inTransactionAsking(dependencies.orm, tx => takeAnswer(tx, { chargeUuid, closing, found }))
  }
}

/** Cancels a charge at its provider, then here; what the provider cannot cancel, it is asked about. */
export function cancelCharge(dependencies: Dependencies) {
  return async ({ chargeUuid }: { chargeUuid: string }): Promise<Followed> => {
    const em = dependencies.orm.em.fork()
    const { charge, again } = await inTransaction(dependencies.orm, tx => requestCancellation(tx, chargeUuid))
    if (!life.accepts(charge.state, 'cancelled')) return ask(em, known(charge))
    const { connection, provider } = await reach(dependencies, em, charge.connection.uuid)
    const answer = await provider.cancelCharge(referenceOf(chargeUuid))
    await tellBreaker(em, connection, answer)
    const outcome = answerSinceOrder(answer, { orderedAt: charge.createdAt, connection })
    if (!again && removedNothing(answer))
      await em.nativeUpdate(Charge, chargeUuid, { cancelUnanswered: false })
    switch (outcome.kind) {
      case 'cancelled':
        return inTransactionAsking(dependencies.orm, tx => close(tx, chargeUuid))
      case 'refused': {
        const followed = await followCharge(dependencies)({ chargeUuid, closing: false })
        // Who wanted it hears now that it stays, and no later run cancels it behind his back.
        if (followed.kind === 'known') await em.nativeUpdate(Charge, chargeUuid, { cancelRequestedAt: null })
        return followed
      }
      case 'not_found':
        // Some providers forget what was cancelled: the answer to an earlier request was lost, not the request.
        if (again) return inTransactionAsking(dependencies.orm, tx => close(tx, chargeUuid))
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
  if (life.accepts(charge.state, 'cancelled')) {
    charge.cancelRequestedAt ??= new Date()
    charge.cancelUnanswered = true
  }
  return { charge, again }
}

/** Whether a request provably is not why its provider knows the payload no more. */
function removedNothing(outcome: CancelOutcome): boolean {
  if (outcome.kind === 'no_answer') return outcome.inVain === true
  return outcome.kind !== 'cancelled'
}

async function close(em: EntityManager, chargeUuid: string): Promise<Question<Followed>> {
  const charge = await lockCharge(em, chargeUuid)
  await end(em, charge, 'cancelled')
  return known(charge)
}

type Answer = ChargeAsked & { found: FoundCharge }

async function takeAnswer(
  em: EntityManager,
  { chargeUuid, closing, found }: Answer,
): Promise<Question<Followed>> {
  const charge = await lockCharge(em, chargeUuid)
  await takePayments(em, charge, found.payments)
  const paying = found.payments.some(payment => payment.status === 'in_process')
  if (found.status === 'removed' && !paying) await end(em, charge, 'cancelled')
  const unended = whyNotOver(found.status)
  if (closing && !paying && unended !== null && life.accepts(charge.state, 'payload_expired'))
    return leaving(charge, { kind: 'no_answer', code: unended })
  if (closing && !paying && unended === null) await end(em, charge, 'payload_expired')
  return leaving(charge, { kind: 'known', paymentsListed: found.payments.length })
}

/** Why a charge is not over at its provider; only what is called over there, and not paid, is EXPIRED here. */
export function whyNotOver(status: FoundCharge['status']): string | null {
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
async function end(em: EntityManager, charge: Charge, event: 'cancelled' | 'payload_expired'): Promise<void> {
  if (!life.accepts(charge.state, event)) return
  const at = new Date()
  moveCharge(charge, event, at)
  await announceCharge(em, charge, { at })
}

function known(charge: Charge): Question<Followed> {
  return leaving(charge, { kind: 'known' })
}

function leaving<Fate>({ uuid, state }: Charge, fate: Fate) {
  return heardAs(leftToDo(uuid), left => ({ state, ...fate, ...left }))
}
