import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Dispute } from '../../db/entities/med.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { computeClaimCents, computeUncoveredCents } from '../../domain/disputes/dispute.ts'
import { disputeHeldLegs, disputeReleasedLegs, type Leg } from '../../domain/ledger/legs.ts'
import { computeRefundableCents } from '../../domain/refunds/refund.ts'
import { inflowPostings } from '../ledger/apply-inflow.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'

/** What a dispute is about: the PIX, and the charge that it paid where it paid one; both under their row locks. */
export type DisputedPayment = { movement: Movement; charge: Charge | null }

/**
 * Lets the disputes of one PIX claim what is left beside refunds and each other, and blocks what the account has of it
 * (SPEC §5). Called when one opens, and again whenever more is left: its PIX has settled, a refund has failed, another
 * dispute is over.
 * `disputes` are locked (`lockDisputes`); those of other PIX are left alone. The legs by which it blocked, which are booked.
 */
export async function holdDisputedFunds(
  em: EntityManager,
  disputed: DisputedPayment,
  disputes: Dispute[],
  at: Date,
): Promise<Leg[]> {
  const own = disputes.filter(one => one.movement.uuid === disputed.movement.uuid)
  const blocked: Leg[] = []
  for (const med of own) {
    await claimDisputedFunds(em, med, { ...disputed, own })
    blocked.push(...(await holdLackingFunds(em, med, disputed, at)))
  }
  return blocked
}

async function claimDisputedFunds(
  em: EntityManager,
  med: Dispute,
  { charge, movement, own }: DisputedPayment & { own: Dispute[] },
) {
  const remainderCents = charge
    ? computeRefundableCents(charge)
    : await computeUnclaimedCents(em, movement, own)
  const askedCents = med.valueCents - med.returnedCents - med.claimedCents
  const more = computeClaimCents({ requestedCents: askedCents, remainderCents })
  if (more === 0) return
  med.claimedCents += more
  if (charge) charge.disputedCents += more
}

/** Of a PIX that is no charge's: what neither went back to its payer, nor is about to, nor another dispute claims. */
async function computeUnclaimedCents(em: EntityManager, movement: Movement, own: Dispute[]): Promise<number> {
  if (movement.status !== 'SETTLED') return 0
  if (movement.disposition && movement.disposition !== 'kept') return 0
  const back = await em.find(Movement, {
    originalUuid: movement.uuid,
    movementType: 'OUT',
    type: 'EXTERNAL_REFUND',
    status: { $ne: 'FAILED' },
  })
  const gone = back.reduce((sum, one) => sum + one.valueCents, 0)
  return movement.valueCents - gone - own.reduce((sum, med) => sum + med.claimedCents, 0)
}

async function holdLackingFunds(
  em: EntityManager,
  med: Dispute,
  { charge, movement }: DisputedPayment,
  at: Date,
): Promise<Leg[]> {
  await em.flush()
  const { accountUuid, providerAccountUuid } = med
  const available = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  const cents = Math.min(computeUncoveredCents(med), available)
  if (cents <= 0) return []
  med.heldCents += cents
  med.updatedAt = at
  const held = createHoldMovement(em, med, { charge, movement, movementType: 'OUT', cents, at })
  const legs = disputeHeldLegs(accountUuid, cents)
  await postMovement(em, held, legs)
  return legs
}

/** The dispute is over: what it had is the account's again, where nothing else waits for it. */
export async function releaseDisputedFunds(
  em: EntityManager,
  med: Dispute,
  { charge, movement }: DisputedPayment,
  at: Date,
): Promise<void> {
  const { accountUuid, providerAccountUuid, heldCents, retainedCents } = med
  if (charge) charge.disputedCents -= med.claimedCents
  Object.assign(med, { claimedCents: 0, heldCents: 0, retainedCents: 0 })
  await em.flush()
  const cents = heldCents + retainedCents
  if (cents === 0) return
  const freed = createHoldMovement(em, med, { charge, movement, movementType: 'IN', cents, at })
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  const legs = [
    ...disputeReleasedLegs(accountUuid, { heldCents, retainedCents }),
    ...(await inflowPostings(em, inflow)),
  ]
  await postMovement(em, freed, legs)
}

type DisputeHold = DisputedPayment & { movementType: 'IN' | 'OUT'; cents: number; at: Date }

function createHoldMovement(
  em: EntityManager,
  med: Dispute,
  { charge, movement, movementType, cents, at }: DisputeHold,
) {
  const { accountUuid, providerAccountUuid } = med
  return createMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: med.connection.uuid },
    {
      type: 'HOLD',
      movementType,
      valueCents: cents,
      status: 'SETTLED',
      chargeUuid: charge?.uuid,
      originalUuid: movement.uuid,
      medUuid: med.uuid,
      settledAt: at,
    },
    at,
  )
}
