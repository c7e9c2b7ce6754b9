import type { EntityManager } from '../../db/client/orm.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { lockConnection, ROW_LOCK } from '../../db/locks.ts'
import { findAttemptsWith } from '../../db/repositories/attempts.ts'
import {
  type Leg,
  returnFailedLegs,
  returnHeldLegs,
  returnSettledLegs,
  uncoveredOutflowLegs,
} from '../../domain/ledger/legs.ts'
import type { UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import { recordMovementEvent } from '../events/record-event.ts'
import { keptPaymentPostings } from '../ledger/apply-inflow.ts'
import { createMovement, failMovement, postMovement, settleMovement } from '../ledger/movements.ts'
import type { AttemptedRow, PayoutHandler } from '../payouts/payout-handler.ts'

/**
 * A PIX that is no charge's, the movement that takes it back to its payer once there is one, and what its provider has
 * given back of it by a dispute.
 */
type UnmatchedReturn = { original: Movement; out: Movement | null; disputedCents: number }

/** An unmatched PIX on its way back to its payer, through the provider that received it (SPEC §2). */
export const returnPayout: PayoutHandler<UnmatchedReturn & AttemptedRow> = {
  operation: 'return',

  async lock(em, uuid, more) {
    const original = await em.findOneOrFail(Movement, uuid, ROW_LOCK)
    if (original.connectionUuid) await lockConnection(em, original.connectionUuid)
    const back = await em.find(
      Movement,
      { originalUuid: uuid, type: 'EXTERNAL_REFUND' },
      { orderBy: { createdAt: 'desc' } },
    )
    const out = back.find(one => !isProviderReturn(one)) ?? null
    const disputedCents = sumMovementCents(back.filter(isProviderReturn))
    const [attempts, heard] = await findAttemptsWith(em, { operation: 'return', subjectUuid: uuid }, more)
    return [{ original, out, disputedCents, attempts }, heard]
  },

  closedReason({ original, disputedCents }) {
    if (original.disposition === 'kept') return 'kept_for_the_account'
    return disputedCents > 0 ? 'returned_by_dispute' : null
  },

  async holdFunds(em, { original }) {
    await holdReturn(em, original)
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

  async applyAcceptance() {},

  async applySettlement(em, { original, ...begun }, attempt, sending) {
    // One that went before its database was restored was begun in no row of now.
    const out = begun.out ?? (await holdReturn(em, original))
    const at = new Date()
    const isLate = out.status === 'FAILED'
    const legs = isLate
      ? await buildLateReturnLegs(em, original)
      : returnSettledLegs(original.accountUuid, original.valueCents)
    if (isLate) out.reason = 'late_settlement'
    attempt.state = 'settled'
    setDisposition(original, 'returned', at)
    settleMovement(out, sending, at)
    await postMovement(em, out, legs)
    await recordMovementEvent(em, out, { ownerUuid: original.uuid, requestId: original.uuid, at })
  },

  /** Unreachable is tried again; a definite no leaves the money in `pending`, for the operator. */
  async applyRefusal(em, { original, out, disputedCents }, attempt) {
    if (attempt.code === 'paused') return // Before anything was held for it.
    if (!out) throw new Error('a return refused that was never begun')
    const at = new Date()
    const stays = attempt.state === 'unreachable' && disputedCents === 0
    setDisposition(original, stays ? 'held' : getDispositionAfterReturns(original, disputedCents), at)
    failMovement(out, at)
    const waitsAgain = returnFailedLegs(original.accountUuid, original.valueCents)
    // While ours held it, a dispute's return was the account's own expense: that comes out of what waits again.
    const madeGood = disputedCents > 0 ? await keptPaymentPostings(em, original, disputedCents) : []
    await postMovement(em, out, [...waitsAgain, ...madeGood])
  },
}

/**
 * Money that went although it was thought to stay is where it waits; where an operator has kept it meanwhile it is the
 * account's, or the service's to advance.
 */
async function buildLateReturnLegs(em: EntityManager, original: Movement): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, valueCents: cents } = original
  if (original.disposition !== 'kept')
    return [...returnHeldLegs(accountUuid, cents), ...returnSettledLegs(accountUuid, cents)]
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return uncoveredOutflowLegs(accountUuid, { cents, availableCents })
}

/** A return that no order of ours made: the provider's, by a dispute, or one of its panel. */
function isProviderReturn({ medUuid, reason }: Movement): boolean {
  return Boolean(medUuid) || reason === 'panel_return'
}

function sumMovementCents(movements: Movement[]): number {
  return movements.reduce((sum, { valueCents }) => sum + valueCents, 0)
}

/**
 * Lets an unmatched PIX, under its row lock, show what the provider has returned of it without an order of ours, what this
 * transaction has recorded included.
 */
export async function applyProviderReturns(em: EntityManager, original: Movement): Promise<void> {
  await em.flush()
  const back = await em.find(Movement, {
    originalUuid: original.uuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
  })
  original.disposition = getDispositionAfterReturns(original, sumMovementCents(back.filter(isProviderReturn)))
}

/** What a PIX of which so much went back without an order of ours has become: the rest of it waits for the operator. */
function getDispositionAfterReturns({ valueCents }: Movement, disputedCents: number): UnmatchedDisposition {
  return disputedCents === valueCents ? 'returned' : 'not_returned'
}

async function holdReturn(em: EntityManager, original: Movement): Promise<Movement> {
  const at = new Date()
  original.disposition = 'returning'
  original.updatedAt = at
  const out = createMovement(
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
  await postMovement(em, out, returnHeldLegs(original.accountUuid, original.valueCents))
  return out
}

function setDisposition(original: Movement, disposition: UnmatchedDisposition, at: Date): void {
  original.disposition = disposition
  original.updatedAt = at
}
