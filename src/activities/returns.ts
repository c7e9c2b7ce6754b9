import { attemptsBeside } from '../db/attempts.ts'
import { Movement } from '../db/entities/movement.ts'
import { ALONE, lockGate } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { returnFailed, returnHeld, returnSettled } from '../domain/ledger.ts'
import type { Disposition } from '../domain/movement.ts'
import { announceMovement } from './announce.ts'
import { book, failMovement, newMovement, settleMovement } from './movements.ts'
import type { Outgoing, Tried } from './outgoing.ts'

/** A PIX that is no charge's, and the movement that takes it back to its payer once there is one. */
type Return = { original: Movement; out: Movement | null }

/** An unmatched PIX on its way back to its payer, through the provider that received it (SPEC §2). */
export const unmatchedReturn: Outgoing<Return & Tried> = {
  operation: 'return',

  async lock(em, uuid, more) {
    const original = await em.findOneOrFail(Movement, uuid, ALONE)
    if (original.connectionUuid) await lockGate(em, original.connectionUuid)
    const out = await em.findOne(
      Movement,
      { originalUuid: uuid, type: 'EXTERNAL_REFUND', medUuid: null },
      { orderBy: { createdAt: 'desc' } },
    )
    const [attempts, heard] = await attemptsBeside(em, { operation: 'return', subjectUuid: uuid }, more)
    return [{ original, out, attempts }, heard]
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
    // Money that went although it was thought to stay is held again before it is booked out.
    if (out.status === 'FAILED') await book(em, out, returnHeld(original.accountUuid, original.valueCents))
    attempt.state = 'settled'
    close(original, 'returned', at)
    settleMovement(out, sending, at)
    await book(em, out, returnSettled(original.accountUuid, original.valueCents))
    await announceMovement(em, out, { lifeUuid: original.uuid, requestId: original.uuid, at })
  },

  /** Unreachable is tried again; a definite no leaves the money in `pending`, for the operator. */
  async refused(em, { original, out }, attempt) {
    if (attempt.code === 'paused') return // Before anything was held for it.
    if (!out) throw new Error('a return refused that was never begun')
    const at = new Date()
    close(original, attempt.state === 'unreachable' ? 'held' : 'not_returned', at)
    failMovement(out, at)
    await book(em, out, returnFailed(original.accountUuid, original.valueCents))
  },
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
