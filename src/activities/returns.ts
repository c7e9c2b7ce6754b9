import { attemptsBeside } from '../db/attempts.ts'
import { Movement } from '../db/entities/movement.ts'
import { ALONE, lockGate } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { goneUncovered, type Leg, returnFailed, returnHeld, returnSettled } from '../domain/ledger.ts'
import type { Disposition } from '../domain/movement.ts'
import { announceMovement } from './announce.ts'
import { keptFor } from './inflow.ts'
import { book, failMovement, newMovement, settleMovement } from './movements.ts'
import type { Outgoing, Tried } from './outgoing.ts'

/**
 * A PIX that is no charge's, the movement that takes it back to its payer once there is one, and what its provider has
 * given back of it by a dispute.
 */
type Return = { original: Movement; out: Movement | null; disputedCents: number }

/** An unmatched PIX on its way back to its payer, through the provider that received it (SPEC §2). */
export const unmatchedReturn: Outgoing<Return & Tried> = {
  operation: 'return',

  async lock(em, uuid, more) {
    const original = await em.findOneOrFail(Movement, uuid, ALONE)
    if (original.connectionUuid) await lockGate(em, original.connectionUuid)
    const back = await em.find(
      Movement,
      { originalUuid: uuid, type: 'EXTERNAL_REFUND' },
      { orderBy: { createdAt: 'desc' } },
    )
    const out = back.find(one => !isOfProvider(one)) ?? null
    const disputedCents = centsOf(back.filter(isOfProvider))
    const [attempts, heard] = await attemptsBeside(em, { operation: 'return', subjectUuid: uuid }, more)
    return [{ original, out, disputedCents, attempts }, heard]
  },

  over({ original, disputedCents }) {
    if (original.disposition === 'kept') return 'kept_for_the_account'
    return disputedCents > 0 ? 'returned_by_dispute' : null
  },

  async begin(em, { original }) {
    await hold(em, original)
    return null
  },

  send(provider, { original }, { attempt }) {
    return provider.refund({
      id: attempt.reference,
      endToEnd: original.endToEnd!,
      cents: original.valueCents,
    })
  },

  async find(provider, attempt, em) {
    const { endToEnd } = await em.findOneOrFail(Movement, attempt.subjectUuid)
    return provider.findRefund({ id: attempt.reference, endToEnd: endToEnd! })
  },

  async accepted() {},

  async settled(em, { original, ...begun }, attempt, sending) {
    // One that went before its database was restored was begun in no row of now.
    const out = begun.out ?? (await hold(em, original))
    const at = new Date()
    const isLate = out.status === 'FAILED'
    const legs = isLate
      ? await goneLate(em, original)
      : returnSettled(original.accountUuid, original.valueCents)
    if (isLate) out.reason = 'late_settlement'
    attempt.state = 'settled'
    close(original, 'returned', at)
    settleMovement(out, sending, at)
    await book(em, out, legs)
    await announceMovement(em, out, { lifeUuid: original.uuid, requestId: original.uuid, at })
  },

  /** Unreachable is tried again; a definite no leaves the money in `pending`, for the operator. */
  async refused(em, { original, out, disputedCents }, attempt) {
    if (attempt.code === 'paused') return // Before anything was held for it.
    if (!out) throw new Error('a return refused that was never begun')
    const at = new Date()
    const stays = attempt.state === 'unreachable' && disputedCents === 0
    close(original, stays ? 'held' : afterDispute(original, disputedCents), at)
    failMovement(out, at)
    const waitsAgain = returnFailed(original.accountUuid, original.valueCents)
    // While ours held it, a dispute's return was the account's own expense: that comes out of what waits again.
    const madeGood = disputedCents > 0 ? await keptFor(em, original, disputedCents) : []
    await book(em, out, [...waitsAgain, ...madeGood])
  },
}

/**
 * Money that went although it was thought to stay is where it waits; where an operator has kept it meanwhile it is the
 * account's, or the service's to advance.
 */
async function goneLate(em: EntityManager, original: Movement): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents } = original
  if (original.disposition !== 'kept')
    return [...returnHeld(accountUuid, cents), ...returnSettled(accountUuid, cents)]
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  return goneUncovered(accountUuid, { cents, availableCents })
}

/** A return that no order of ours made: the provider's, by a dispute, or one of its panel. */
function isOfProvider({ medUuid, reason }: Movement): boolean {
  return Boolean(medUuid) || reason === 'panel_return'
}

function centsOf(movements: Movement[]): number {
  return movements.reduce((sum, { valueCents }) => sum + valueCents, 0)
}

/**
 * Lets an unmatched PIX, under its row lock, show what the provider has returned of it without an order of ours, what this
 * transaction has recorded included.
 */
export async function countProviderReturns(em: EntityManager, original: Movement): Promise<void> {
  await em.flush()
  const back = await em.find(Movement, {
    originalUuid: original.uuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
  })
  original.disposition = afterDispute(original, centsOf(back.filter(isOfProvider)))
}

/** What a PIX of which so much went back without an order of ours has become: the rest of it waits for the operator. */
function afterDispute({ valueCents }: Movement, disputedCents: number): Disposition {
  return disputedCents === valueCents ? 'returned' : 'not_returned'
}

async function hold(em: EntityManager, original: Movement): Promise<Movement> {
  const at = new Date()
  original.disposition = 'returning'
  original.updatedAt = at
  const out = newMovement(
    em,
    { ...original, connectionUuid: original.connectionUuid ?? null },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'OUT',
      valueCents: original.valueCents,
      status: 'PENDING',
      sender: original.receiver,
      receiver: original.sender,
      chargeUuid: original.chargeUuid,
      originalUuid: original.uuid,
    },
    at,
  )
  await book(em, out, returnHeld(original.accountUuid, original.valueCents))
  return out
}

function close(original: Movement, disposition: Disposition, at: Date): void {
  original.disposition = disposition
  original.updatedAt = at
}
