import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Dispute, DisputedSplitPart } from '../../db/entities/dispute.ts'
import { lockAvailableBalance, lockBalances } from '../../db/ledger/post.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import {
  type SplitPart,
  shortfallAdvancedLegs,
  splitGivenBackLegs,
  splitReclaimedLegs,
} from '../../domain/ledger/legs.ts'
import { computeSplitRefunds } from '../../domain/refunds/refund.ts'
import { inflowPostings } from './apply-inflow.ts'
import { getCreditedAccounts } from './dispute-locks.ts'
import { createMovement, postMovement } from './movements.ts'

type SplitDispute = { dispute: Dispute; charge: Charge; at: Date }

/**
 * Takes back from the recipients of a charge's splits their shares of what its disputes claim, as a refund does: each pays
 * what its balance covers, and the owner the rest. Where the account's policy is `owner`, the owner pays all of it.
 * `samePix`: the disputes of this charge. The caller has locked the disputes of the recipients.
 */
export async function reclaimSplits(
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
export function reduceSplitParts(dispute: Dispute, claimedCents: number): DisputedSplitPart[] {
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
  return createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid: dispute.connection.uuid,
    type: 'SPLIT',
    movementType,
    valueCents: cents,
    status: 'SETTLED',
    settledAt: at,
    chargeUuid: charge.uuid,
    originalUuid: dispute.movement.uuid,
    disputeUuid: dispute.uuid,
  })
}
