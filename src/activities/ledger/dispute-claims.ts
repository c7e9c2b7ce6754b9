import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Dispute, DisputedSplitPart } from '../../db/entities/dispute.ts'
import { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance, lockBalances } from '../../db/ledger/post.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { computeClaimCents, computeUncoveredCents } from '../../domain/disputes/dispute.ts'
import {
  disputeHeldLegs,
  disputeReleasedLegs,
  type Leg,
  type SplitPart,
  shortfallAdvancedLegs,
  splitGivenBackLegs,
  splitReclaimedLegs,
} from '../../domain/ledger/legs.ts'
import { computeRefundableCents, computeSplitRefunds } from '../../domain/refunds/refund.ts'
import { creditPostings, inflowPostings } from './apply-inflow.ts'
import { getCreditedAccounts } from './dispute-locks.ts'
import { createDisputeMovement, type DisputeRows, postMovement } from './movements.ts'

/** The PIX of a dispute and the charge that it paid, or null; both under their row locks. */
type DisputedPayment = Omit<DisputeRows, 'dispute'>

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
  const hold = createDisputeMovement(
    em,
    at,
    { dispute, charge, movement },
    { type: 'HOLD', movementType: 'OUT', valueCents: cents },
  )
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
  const release = createDisputeMovement(
    em,
    at,
    { dispute, ...disputed },
    { type: 'HOLD', movementType: 'IN', valueCents: cents },
  )
  const releasedLegs = (accountUuid: string) => disputeReleasedLegs(accountUuid, { heldCents, retainedCents })
  await postMovement(em, release, await creditPostings(em, releasedLegs, dispute, cents))
}

type SplitDispute = { dispute: Dispute; charge: Charge; at: Date }

/**
 * Takes back from the recipients of a charge's splits their shares of what its disputes claim, as a refund does: each pays
 * what its balance covers, and the owner the rest. Where the account's policy is `owner`, the owner pays all of it.
 * `samePix`: the disputes of this charge. The caller has locked the disputes of the recipients.
 */
async function reclaimSplits(
  em: EntityManager,
  { dispute, charge, at }: SplitDispute,
  samePix: Dispute[],
): Promise<void> {
  const credited = charge.splits.getItems().filter(({ creditedCents }) => creditedCents > 0)
  if (credited.length === 0) return
  const { disputedSplitPolicy } = await em.findOneOrFail(Account, charge.accountUuid)
  if (disputedSplitPolicy === 'owner') return
  await sendChanges(em)
  const { providerAccountUuid, receivedCents, refundedCents } = charge
  const { accountUuids } = getCreditedAccounts(charge)
  await lockBalances(em, { accountUuids, providerAccountUuids: [providerAccountUuid] })
  const requestedBefore = (splitUuid: string) =>
    samePix
      .flatMap(({ splitParts }) => splitParts)
      .filter(part => part.splitUuid === splitUuid)
      .reduce((sum, part) => sum + part.requestedCents, 0)
  const shares = computeSplitRefunds(
    credited.map(({ uuid, recipient, creditedCents, returnRequestedCents }) => ({
      uuid,
      accountUuid: recipient.uuid,
      creditedCents,
      returnRequestedCents: returnRequestedCents + requestedBefore(uuid),
    })),
    { receivedCents, refundedCents, valueCents: charge.disputedCents },
  )
  const parts: DisputedSplitPart[] = []
  let unclaimedCents = dispute.claimedCents - dispute.reclaimedCents
  for (const { split, cents: shareCents } of shares) {
    const { uuid: splitUuid, accountUuid } = split
    const requestedCents = Math.max(0, Math.min(shareCents, unclaimedCents))
    const reclaimedCents = parts.reduce(
      (sum, part) => sum + (part.accountUuid === accountUuid ? part.cents : 0),
      0,
    )
    const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
    const cents = Math.min(requestedCents, availableCents - reclaimedCents)
    parts.push({ splitUuid, accountUuid, requestedCents, cents })
    unclaimedCents -= cents
  }
  dispute.splitParts = [...dispute.splitParts, ...parts.filter(part => part.requestedCents > 0)]
  const cents = sumParts(parts)
  dispute.reclaimedCents += cents
  if (cents === 0) return
  const movement = createSplitMovement(em, { dispute, charge, at }, { movementType: 'IN', cents })
  await postMovement(em, movement, splitReclaimedLegs(charge.accountUuid, parts))
}

/**
 * Pays a return to the payer out of what the recipients of splits have paid for its dispute: of each its share, where
 * that was taken back. What exceeds the rest of the claim is to be given back.
 */
export function paySplitParts(
  dispute: Dispute,
  shares: { split: { uuid: string }; cents: number }[],
  claimedCents: number,
): { paid: DisputedSplitPart[]; excess: DisputedSplitPart[] } {
  const shareOf = ({ splitUuid }: DisputedSplitPart) =>
    shares.find(({ split }) => split.uuid === splitUuid)?.cents ?? 0
  const paid = divideSplitParts(dispute, (part, cents) => Math.max(0, cents - shareOf(part)))
  return { paid, excess: reduceSplitParts(dispute, claimedCents) }
}

/** Reduces what the recipients of splits have paid for a dispute to a claim. Returns what is to be given back. */
function reduceSplitParts(dispute: Dispute, claimedCents: number): DisputedSplitPart[] {
  let remainingCents = claimedCents
  return divideSplitParts(dispute, (_, cents) => {
    const keptCents = Math.min(cents, remainingCents)
    remainingCents -= keptCents
    return keptCents
  })
}

/** Keeps of each part what `keep` says, of what is owed and of what is paid alike. Returns the rest. */
function divideSplitParts(
  dispute: Dispute,
  keep: (part: DisputedSplitPart, cents: number) => number,
): DisputedSplitPart[] {
  const kept = dispute.splitParts.map(part => {
    const cents = keep(part, part.cents)
    return { ...part, cents, requestedCents: Math.max(cents, part.requestedCents - (part.cents - cents)) }
  })
  const rest = dispute.splitParts.map((part, index) => ({ ...part, cents: part.cents - kept[index]!.cents }))
  dispute.splitParts = kept
  dispute.reclaimedCents = sumParts(kept)
  return rest
}

/**
 * Gives the recipients of splits back what they have paid for a dispute that claims it no longer. The service advances
 * what the owner of the charge does not have of it. It repays their shortfalls first, and covers their disputes.
 */
export async function giveSplitsBack(
  em: EntityManager,
  { dispute, charge, at }: SplitDispute,
  splitParts: SplitPart[],
): Promise<void> {
  const cents = sumParts(splitParts)
  if (cents === 0) return
  const { accountUuid, providerAccountUuid } = charge
  const inflowLegs = await inflowPostings(em, {
    providerAccountUuid,
    credits: [...splitParts, { accountUuid, cents: 0 }],
  })
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  const movement = createSplitMovement(em, { dispute, charge, at }, { movementType: 'OUT', cents })
  await postMovement(em, movement, [
    ...shortfallAdvancedLegs(accountUuid, { cents, availableCents }),
    ...splitGivenBackLegs(accountUuid, splitParts),
    ...inflowLegs,
  ])
}

function sumParts(parts: { cents: number }[]): number {
  return parts.reduce((sum, { cents }) => sum + cents, 0)
}

function createSplitMovement(
  em: EntityManager,
  { dispute, charge, at }: SplitDispute,
  { movementType, cents }: { movementType: 'IN' | 'OUT'; cents: number },
) {
  const { accountUuid, providerAccountUuid } = charge
  const columns = {
    accountUuid,
    providerAccountUuid,
    type: 'SPLIT',
    movementType,
    valueCents: cents,
  } as const
  return createDisputeMovement(em, at, { dispute, charge, movement: dispute.movement }, columns)
}
