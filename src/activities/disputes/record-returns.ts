import type { EntityManager } from '../../db/client/orm.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { coverAfterReturn } from '../../domain/disputes/dispute.ts'
import type { DisputeReturn } from '../../domain/disputes/provider-dispute.ts'
import { disputeReturnedLegs, type Leg } from '../../domain/ledger/legs.ts'
import { recordMovementEvent } from '../events/record-event.ts'
import type { DisputedPayment } from '../ledger/dispute-claims.ts'
import { giveSplitsBack, paySplitParts } from '../ledger/dispute-split-parts.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { buildReturnColumns, findUnrecordedReturns } from '../ledger/return-matching.ts'
import { computeReturnShares, recordProviderRefund } from '../refunds/settle.ts'
import { buildPendingReturnLegs } from '../unmatched/return-payout.ts'

/** A dispute with its PIX and charge, all locked. */
export type DisputeWithPayment = DisputedPayment & { dispute: Dispute }

/**
 * Records the returns that a provider made by a dispute, each once, identified by the disputed PIX and the provider's
 * id of the return. Nothing is sent: each is recorded as a settled refund of the charge (SPEC §5). A return is recorded
 * whatever the dispute's state.
 */
export async function recordDisputeReturns(
  em: EntityManager,
  disputed: DisputeWithPayment,
  returns: DisputeReturn[],
  at: Date,
): Promise<void> {
  if (returns.length === 0) return
  const { providerAccountUuid, endToEnd } = disputed.dispute
  const pix = { providerAccountUuid, movementType: 'OUT' as const, names: [endToEnd] }
  for (const one of await findUnrecordedReturns(em, pix, returns))
    await recordDisputeReturn(em, disputed, one, at)
}

/** Records one return that is not recorded yet: a settled refund of the charge, which reduces the dispute's claim. */
export async function recordDisputeReturn(
  em: EntityManager,
  disputed: DisputeWithPayment,
  returned: DisputeReturn,
  at: Date,
): Promise<void> {
  const { dispute, charge } = disputed
  const out = createDisputeReturnMovement(em, disputed, returned, at)
  const legs = await buildDisputeReturnLegs(em, disputed, returned.cents)
  const after = coverAfterReturn(dispute, returned.cents)
  if (charge) charge.disputedCents -= dispute.claimedCents - after.claimedCents
  const shares = charge ? computeReturnShares(charge, returned.cents) : []
  const { paid: paidParts, excess } = paySplitParts(dispute, shares, after.claimedCents)
  Object.assign(dispute, after)
  dispute.returnedCents += returned.cents
  const { uuid: ownerUuid, requestId } = dispute
  if (charge) await recordProviderRefund(em, { charge, out, paidParts, ownerUuid, requestId, at })
  await postMovement(em, out, legs)
  if (charge) await giveSplitsBack(em, { dispute, charge, at }, excess)
  await recordMovementEvent(em, out, dispute, at)
}

/** Builds the legs of a return: from `pending`, else from what the dispute holds, then from what is available. */
async function buildDisputeReturnLegs(
  em: EntityManager,
  { dispute, movement }: DisputeWithPayment,
  cents: number,
): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, heldCents, retainedCents } = dispute
  const pendingLegs = await buildPendingReturnLegs(em, movement, cents)
  if (pendingLegs) return pendingLegs
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return disputeReturnedLegs(accountUuid, { cents, heldCents, retainedCents, availableCents })
}

function createDisputeReturnMovement(
  em: EntityManager,
  { dispute, movement, charge }: DisputeWithPayment,
  returned: DisputeReturn,
  at: Date,
) {
  const { accountUuid, providerAccountUuid } = dispute
  return createMovement(em, at, {
    accountUuid,
    providerAccountUuid,
    connectionUuid: dispute.connection.uuid,
    type: 'EXTERNAL_REFUND',
    movementType: 'OUT',
    valueCents: returned.cents,
    status: 'SETTLED',
    ...buildReturnColumns(dispute.endToEnd, returned),
    sender: movement.receiver,
    receiver: movement.sender,
    chargeUuid: charge?.uuid,
    originalUuid: movement.uuid,
    disputeUuid: dispute.uuid,
    settledAt: new Date(returned.at),
  })
}
