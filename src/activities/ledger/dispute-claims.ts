import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { computeClaimCents, computeUncoveredCents } from '../../domain/disputes/dispute.ts'
import { disputeHeldLegs, disputeReleasedLegs, type Leg } from '../../domain/ledger/legs.ts'
import { computeRefundableCents } from '../../domain/refunds/refund.ts'
import { creditPostings } from './apply-inflow.ts'
import { giveSplitsBack, reclaimSplits, reduceSplitParts } from './dispute-split-parts.ts'
import { createMovement, postMovement } from './movements.ts'

/** The PIX of a dispute and the charge that it paid, or null; both under their row locks. */
export type DisputedPayment = { movement: Movement; charge: Charge | null }

/**
 * Claims for the disputes of one PIX what neither refunds nor each other claim, takes the shares of its splits back, and holds
 * what the account has of it (SPEC §5). Called when a dispute opens, and whenever more is left: the PIX has settled, a refund has failed, another
 * dispute has ended. The caller has locked `disputes` (`lockDisputes`); those of other PIX are ignored. Returns the
 * legs of the holds, which are posted already.
 */
export async function holdDisputedFunds(
  em: EntityManager,
  disputed: DisputedPayment,
  disputes: Dispute[],
  at: Date,
): Promise<Leg[]> {
  const samePix = disputes.filter(one => one.movement.uuid === disputed.movement.uuid)
  const legs: Leg[] = []
  for (const dispute of samePix) {
    const hasClaimedMore = await claimDisputedFunds(em, dispute, { ...disputed, samePix })
    if (hasClaimedMore && disputed.charge)
      await reclaimSplits(em, { dispute, charge: disputed.charge, at }, samePix)
    legs.push(...(await holdLackingFunds(em, dispute, disputed, at)))
  }
  return legs
}

async function claimDisputedFunds(
  em: EntityManager,
  dispute: Dispute,
  { charge, movement, samePix }: DisputedPayment & { samePix: Dispute[] },
): Promise<boolean> {
  const remainderCents = charge
    ? computeRefundableCents(charge)
    : await computeUnclaimedCents(em, movement, samePix)
  const requestedCents = dispute.valueCents - dispute.returnedCents - dispute.claimedCents
  const claimCents = computeClaimCents({ requestedCents, remainderCents })
  if (claimCents === 0) return false
  dispute.claimedCents += claimCents
  if (charge) charge.disputedCents += claimCents
  return true
}

/** Computes what is left of a PIX without a charge: not returned, not being returned, not claimed by a dispute. */
async function computeUnclaimedCents(
  em: EntityManager,
  movement: Movement,
  samePix: Dispute[],
): Promise<number> {
  if (movement.status !== 'SETTLED') return 0
  if (movement.disposition && movement.disposition !== 'kept') return 0
  const returns = await em.find(Movement, {
    originalUuid: movement.uuid,
    movementType: 'OUT',
    type: 'EXTERNAL_REFUND',
    status: { $ne: 'FAILED' },
  })
  const returnedCents = returns.reduce((sum, one) => sum + one.valueCents, 0)
  return movement.valueCents - returnedCents - samePix.reduce((sum, dispute) => sum + dispute.claimedCents, 0)
}

async function holdLackingFunds(
  em: EntityManager,
  dispute: Dispute,
  { charge, movement }: DisputedPayment,
  at: Date,
): Promise<Leg[]> {
  await sendChanges(em)
  const { accountUuid, providerAccountUuid } = dispute
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  const cents = Math.min(computeUncoveredCents(dispute), availableCents)
  if (cents <= 0) return []
  dispute.heldCents += cents
  dispute.updatedAt = at
  const hold = createHoldMovement(em, dispute, { charge, movement, movementType: 'OUT', cents, at })
  const legs = disputeHeldLegs(accountUuid, cents)
  await postMovement(em, hold, legs)
  return legs
}

/**
 * Reduces the claims of disputes of one charge until `refundCents` can be refunded, newest dispute first, and releases
 * what they hold above that. Only for a refund that was ordered before they claimed it: its row was missing meanwhile.
 * The caller has locked `disputes` (`lockDisputes`) and the charge.
 */
export async function reduceDisputeClaims(
  em: EntityManager,
  { charge, movement }: DisputedPayment & { charge: Charge },
  disputes: Dispute[],
  { refundCents, at }: { refundCents: number; at: Date },
): Promise<void> {
  const samePix = disputes.filter(one => one.movement.uuid === movement.uuid)
  // All claims are reduced before the first release: what one dispute releases covers no claim that is reduced next.
  const releases = samePix.toReversed().map(dispute => {
    const lackingCents = Math.max(0, refundCents - computeRefundableCents(charge))
    const claimedCents = dispute.claimedCents - Math.min(lackingCents, dispute.claimedCents)
    charge.disputedCents -= dispute.claimedCents - claimedCents
    const splitParts = reduceSplitParts(dispute, claimedCents)
    return { dispute, splitParts, released: reduceCover(dispute, claimedCents, at) }
  })
  for (const { dispute, splitParts, released } of releases) {
    await postRelease(em, dispute, { charge, movement }, released, at)
    await giveSplitsBack(em, { dispute, charge, at }, splitParts)
  }
}

/**
 * Releases what an ended dispute held: for the account's shortfall, other disputes, then the available balance. What the
 * recipients of splits have paid for it is theirs again.
 */
export async function releaseDisputedFunds(
  em: EntityManager,
  dispute: Dispute,
  disputed: DisputedPayment,
  at: Date,
): Promise<void> {
  const { charge } = disputed
  if (charge) charge.disputedCents -= dispute.claimedCents
  const splitParts = reduceSplitParts(dispute, 0)
  await postRelease(em, dispute, disputed, reduceCover(dispute, 0, at), at)
  if (charge) await giveSplitsBack(em, { dispute, charge, at }, splitParts)
}

type ReleasedCents = { heldCents: number; retainedCents: number }

/** Reduces a dispute's claim, and what it holds to the claim, blocked money first. Returns what it no longer holds. */
function reduceCover(dispute: Dispute, claimedCents: number, at: Date): ReleasedCents {
  const cents = Math.max(0, dispute.heldCents + dispute.retainedCents - claimedCents)
  const heldCents = Math.min(cents, dispute.heldCents)
  const retainedCents = cents - heldCents
  if (claimedCents !== dispute.claimedCents) dispute.updatedAt = at
  dispute.claimedCents = claimedCents
  dispute.heldCents -= heldCents
  dispute.retainedCents -= retainedCents
  return { heldCents, retainedCents }
}

/** Posts what a dispute no longer holds: it repays the account's shortfall and covers disputes, like any inflow. */
async function postRelease(
  em: EntityManager,
  dispute: Dispute,
  disputed: DisputedPayment,
  { heldCents, retainedCents }: ReleasedCents,
  at: Date,
): Promise<void> {
  await sendChanges(em)
  const cents = heldCents + retainedCents
  if (cents === 0) return
  const release = createHoldMovement(em, dispute, { ...disputed, movementType: 'IN', cents, at })
  const releasedLegs = (accountUuid: string) => disputeReleasedLegs(accountUuid, { heldCents, retainedCents })
  await postMovement(em, release, await creditPostings(em, releasedLegs, dispute, cents))
}

function createHoldMovement(
  em: EntityManager,
  dispute: Dispute,
  hold: DisputedPayment & { movementType: 'IN' | 'OUT'; cents: number; at: Date },
) {
  const { charge, movement, movementType, cents, at } = hold
  const { accountUuid, providerAccountUuid } = dispute
  return createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid: dispute.connection.uuid,
    type: 'HOLD',
    movementType,
    valueCents: cents,
    status: 'SETTLED',
    chargeUuid: charge?.uuid,
    originalUuid: movement.uuid,
    disputeUuid: dispute.uuid,
    settledAt: at,
  })
}
