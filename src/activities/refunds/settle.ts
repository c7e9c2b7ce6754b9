import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { Refund, type RefundPart } from '../../db/entities/refund.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { querySettledRefundCents } from '../../db/repositories/charges.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import {
  computeExcessCents,
  feeEarnedLegs,
  refundSettledLegs,
  shortfallAdvancedLegs,
  uncoveredLateLegs,
  uncoveredOutflowLegs,
} from '../../domain/ledger/legs.ts'
import type { ProviderPayout } from '../../domain/providers/provider.ts'
import { computeRefundableCents, refundMachine } from '../../domain/refunds/refund.ts'
import { recordChargeEvent, recordMovementEvent, recordRefundEvent } from '../events/record-event.ts'
import { inflowPostings } from '../ledger/apply-inflow.ts'
import { postMovement, settleMovement } from '../ledger/movements.ts'
import { countLateRefund } from '../limits/limit-room.ts'
import { transition } from '../shared/transition.ts'
import { addOwnerPart, computeSplitShares, getSplitParts, type SplitShare } from './open.ts'

/** A refund and its charge. The charge's row lock serializes all refunds of that charge. */
export type LockedRefund = { refund: Refund; charge: Charge }

/**
 * Settles a refund whose money is held: posts the movement that takes it from the balances (`refundSettledLegs`). What was
 * returned of the charge since the refund was opened may change what a split owes: then the split gets back what it paid
 * beyond that, and the owner pays it. What a split gets back is an inflow.
 */
export async function settleHeldRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  payout: ProviderPayout,
): Promise<void> {
  const at = new Date()
  await addSettledRefunds(em, charge)
  charge.refundingCents -= refund.valueCents
  const splitShares = addRefundedCents(charge, refund.valueCents)
  transitionToRefunded(charge, at)
  transition(refund, refundMachine, 'settled', at)
  settleMovementOfRefund(refund, payout, at)
  await postSettledParts(em, refund, splitShares)
  await recordRefundEvent(em, refund, { charge, at })
  await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
  await recordMovementEvent(em, refund.movement!, refund, at)
}

/** Stores what each party pays of a settled refund, and posts it. `splitShares`: what each split owes of it now. */
async function postSettledParts(em: EntityManager, refund: Refund, splitShares: SplitShare[]): Promise<void> {
  const { accountUuid, providerAccountUuid, valueCents, feeCents } = refund
  const held = getSplitParts(refund)
  refund.parts = settleRefundParts(refund, splitShares)
  const givenBack = getSplitParts(refund).map(({ accountUuid, cents }, index) => ({
    accountUuid,
    cents: held[index]!.cents - cents,
  }))
  const excessCents = computeExcessCents({ valueCents, splitParts: held })
  // Where a split pays less than it held, the owner pays more.
  const unheldCents = givenBack.reduce((sum, { cents }) => sum + cents, -excessCents)
  const credits = [...givenBack, { accountUuid, cents: Math.max(0, -unheldCents) }]
  const inflowLegs = await inflowPostings(em, { providerAccountUuid, credits })
  const advanceLegs =
    unheldCents > 0
      ? shortfallAdvancedLegs(accountUuid, {
          cents: unheldCents,
          availableCents: await lockAvailableBalance(em, { accountUuid, providerAccountUuid }),
        })
      : []
  const settledLegs = refundSettledLegs({
    ownerUuid: accountUuid,
    valueCents,
    excessCents,
    splitParts: givenBack,
  })
  const feeLegs = feeEarnedLegs(accountUuid, feeCents)
  await postMovement(em, refund.movement!, [...advanceLegs, ...settledLegs, ...feeLegs, ...inflowLegs])
}

/** Computes the parts of a refund from what each split owes now: it pays that up to what it held, the owner the rest. */
function settleRefundParts({ parts, accountUuid, valueCents }: Refund, shares: SplitShare[]): RefundPart[] {
  const splitParts = parts.slice(0, -1).map(part => {
    const requestedCents = shares.find(({ split }) => split.uuid === part.splitUuid)?.cents ?? 0
    return { ...part, cents: Math.min(part.cents, requestedCents), requestedCents }
  })
  return addOwnerPart(accountUuid, splitParts, valueCents)
}

/** Settles a refund that had ended as failed: the charge's owner pays it, even without an available balance. */
export async function settleLateRefund(
  em: EntityManager,
  { refund, charge }: LockedRefund,
  payout: ProviderPayout,
): Promise<void> {
  const at = new Date()
  const availableCents = await lockAvailableBalance(em, charge)
  await countLateRefund(em, refund, charge.connection)
  transition(refund, refundMachine, 'settled_late', at)
  refund.failure = null
  refund.feeCents = 0 // The fee was released with the hold and is not charged again.
  settleMovementOfRefund(refund, payout, at)
  refund.movement!.reason = 'late_settlement'
  await sendChanges(em) // Before the statement that sums the settled refunds.
  const hasChanged = await addLateRefunds(em, charge, at)
  // A refund that was refused when it was opened has held nothing, and no line of the statement.
  const legsOf = refund.parts.length > 0 ? uncoveredLateLegs : uncoveredOutflowLegs
  const legs = legsOf(charge.accountUuid, { cents: refund.valueCents, availableCents })
  await postMovement(em, refund.movement!, legs)
  await recordRefundEvent(em, refund, { charge, at })
  if (hasChanged) await recordChargeEvent(em, charge, { at, ownerUuid: refund.uuid })
  await recordMovementEvent(em, refund.movement!, refund, at)
}

/**
 * Adds late-settled refunds to `refundedCents` once no refund under way and no dispute claims the charge. Called again
 * after each of these ends. Returns whether the charge changed: then the caller records its event.
 */
export async function addLateRefunds(em: EntityManager, charge: Charge, at: Date): Promise<boolean> {
  if (!chargeMachine.accepts(charge.state, 'refund_requested')) return false
  const previousCents = charge.refundedCents
  await addSettledRefunds(em, charge)
  if (charge.refundedCents === previousCents) return false
  transitionThroughRefund(charge, at)
  return true
}

/**
 * Adds to `refundedCents` what was returned while a refund was under way, by a dispute or by a refund that settled
 * late; it could not be added then. `refundedCents` never exceeds what was received, whatever was returned.
 */
export async function addSettledRefunds(em: EntityManager, charge: Charge): Promise<void> {
  const settledCents = await runQuery(em, querySettledRefundCents(charge.uuid))
  const more = Math.min(settledCents - charge.refundedCents, computeRefundableCents(charge))
  if (more > 0) addRefundedCents(charge, more)
}

/**
 * Adds to `refundedCents`, and to each split what it owes of that. `returnRequestedCents` so depends on the total alone,
 * not on how refunds and returns overlapped. Returns what each split owes of `cents`.
 */
function addRefundedCents(charge: Charge, cents: number): SplitShare[] {
  const shares = computeSplitShares(charge, cents)
  const splits = new Map(charge.splits.getItems().map(split => [split.uuid, split]))
  for (const { split, cents } of shares) splits.get(split.uuid)!.returnRequestedCents += cents
  charge.refundedCents += cents
  return shares
}

/**
 * Moves a charge to the refunded state of its `refundedCents`, through "refunding", where the money was returned
 * without a refund under way.
 */
function transitionThroughRefund(charge: Charge, at: Date): void {
  transition(charge, chargeMachine, 'refund_requested', at)
  transitionToRefunded(charge, at)
}

function transitionToRefunded(charge: Charge, at: Date): void {
  const isWhole = charge.refundedCents === charge.receivedCents
  transition(charge, chargeMachine, isWhole ? 'refund_settled_whole' : 'refund_settled_in_part', at)
}

function settleMovementOfRefund(refund: Refund, payout: ProviderPayout, at: Date): void {
  settleMovement(refund.movement!, payout, at)
  refund.endToEnd = refund.movement!.endToEnd
}

type ProviderRefund = {
  /** Locked by the caller (`lockCharge`). */
  charge: Charge
  /** The settled movement of the return; it names the dispute, where one ordered it. */
  movement: Movement
  /** What the recipients of splits have paid of it already, by a dispute. */
  paidParts?: { splitUuid: string; cents: number }[]
  /** Uuid of the operation whose workflow starts the deliveries of the events. */
  ownerUuid: string
  requestId: string
  at: Date
}

/** Computes what each split owes of a return of a charge's PIX, which counts as refunded up to what is left to refund. */
export function computeReturnShares(charge: Charge, cents: number): SplitShare[] {
  return computeSplitShares(charge, Math.min(cents, computeRefundableCents(charge)))
}

/**
 * Records a return that the provider made of a charge's PIX without an order of ours, by a dispute or in its panel, as
 * a settled refund (SPEC §5). It counts as refunded up to what is left to refund, so that no later refund exceeds what
 * was received. Of its splits only those pay that have paid already; none does later. The caller posts the movement.
 */
export async function recordProviderRefund(em: EntityManager, provider: ProviderRefund): Promise<void> {
  const { charge, movement, paidParts = [], ownerUuid, requestId, at } = provider
  const cents = movement.valueCents
  const countedCents = Math.min(cents, computeRefundableCents(charge))
  // The charge's owner pays the rest. The share of each split is stored as requested, paid or not, so that no later refund
  // asks for it.
  const paidCentsOf = (splitUuid: string) =>
    paidParts.reduce((sum, part) => sum + (part.splitUuid === splitUuid ? part.cents : 0), 0)
  const splitParts: RefundPart[] = addRefundedCents(charge, countedCents).map(
    ({ split, cents: requestedCents }) => ({
      accountUuid: split.accountUuid,
      splitUuid: split.uuid,
      cents: paidCentsOf(split.uuid),
      requestedCents,
    }),
  )
  const parts = addOwnerPart(charge.accountUuid, splitParts, cents)
  const refund = em.create(Refund, {
    uuid: randomUUID(),
    chargeUuid: charge.uuid,
    disputeUuid: movement.disputeUuid ?? null,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    providerAccountUuid: charge.providerAccountUuid,
    state: 'settled',
    valueCents: cents,
    parts,
    movement,
    endToEnd: movement.endToEnd ?? null,
    acceptedAt: at,
    requestId,
    fingerprint: '',
    createdAt: at,
    updatedAt: at,
  })
  const isTransition = countedCents > 0 && chargeMachine.accepts(charge.state, 'refund_requested')
  if (isTransition) transitionThroughRefund(charge, at)
  await sendChanges(em)
  movement.refundUuid = refund.uuid
  await recordRefundEvent(em, refund, { charge, at, ownerUuid })
  if (isTransition) await recordChargeEvent(em, charge, { at, ownerUuid })
}
