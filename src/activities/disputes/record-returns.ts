import type { EntityManager } from '../../db/client/orm.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import { lockAvailableBalance } from '../../db/ledger/post.ts'
import { coverAfterReturn } from '../../domain/disputes/dispute.ts'
import type { DisputeReturn } from '../../domain/disputes/provider-dispute.ts'
import { disputeReturnedLegs, type Leg, returnHeldLegs, returnSettledLegs } from '../../domain/ledger/legs.ts'
import { recordMovementEvent } from '../events/record-event.ts'
import { createMovement, postMovement } from '../ledger/movements.ts'
import { buildReturnColumns, findUnrecordedReturns } from '../ledger/return-matching.ts'
import { recordProviderRefund } from '../refunds/provider-refund.ts'
import { applyProviderReturns } from '../unmatched/return-payout.ts'
import type { DisputedPayment } from './hold-funds.ts'

/** A dispute with its PIX and charge, all locked. */
export type DisputeWithPayment = DisputedPayment & { med: Dispute }

/**
 * Records the returns that a provider made by a dispute, each once, identified by the disputed PIX and the provider's
 * id of the return. Nothing is sent: each is recorded as a settled refund of the charge (SPEC §5). A return is recorded
 * whatever the dispute's state.
 */
export async function recordDisputeReturns(
  em: EntityManager,
  dispute: DisputeWithPayment,
  returns: DisputeReturn[],
  at: Date,
): Promise<void> {
  if (returns.length === 0) return
  const { providerAccountUuid, endToEnd } = dispute.med
  const pix = { providerAccountUuid, movementType: 'OUT' as const, names: [endToEnd] }
  for (const one of await findUnrecordedReturns(em, pix, returns))
    await recordDisputeReturn(em, dispute, one, at)
}

async function recordDisputeReturn(
  em: EntityManager,
  dispute: DisputeWithPayment,
  returned: DisputeReturn,
  at: Date,
): Promise<void> {
  const { med, charge } = dispute
  const out = createDisputeReturnMovement(em, dispute, returned, at)
  const legs = await buildDisputeReturnLegs(em, dispute, returned.cents)
  const after = coverAfterReturn(med, returned.cents)
  if (charge) charge.disputedCents -= med.claimedCents - after.claimedCents
  Object.assign(med, after)
  med.returnedCents += returned.cents
  const about = { ownerUuid: med.uuid, requestId: med.requestId, at }
  if (charge) await recordProviderRefund(em, { charge, out, ...about })
  await postMovement(em, out, legs)
  await recordMovementEvent(em, out, about)
}

/**
 * Builds the legs of a return: from what the dispute holds, then from what is available. An unmatched PIX that is not
 * being returned is in `pending`: it is taken from there, and no return of ours is sent any more. While a return of
 * ours is under way, the account pays, and the refusal of our return repays it.
 */
async function buildDisputeReturnLegs(
  em: EntityManager,
  { med, movement }: DisputeWithPayment,
  cents: number,
): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, heldCents, retainedCents } = med
  if (movement.disposition === 'held' || movement.disposition === 'not_returned') {
    await applyProviderReturns(em, movement)
    return [...returnHeldLegs(accountUuid, cents), ...returnSettledLegs(accountUuid, cents)]
  }
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return disputeReturnedLegs(accountUuid, { cents, heldCents, retainedCents, availableCents })
}

function createDisputeReturnMovement(
  em: EntityManager,
  { med, movement, charge }: DisputeWithPayment,
  returned: DisputeReturn,
  at: Date,
) {
  const { accountUuid, providerAccountUuid } = med
  return createMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: med.connection.uuid },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'OUT',
      valueCents: returned.cents,
      status: 'SETTLED',
      ...buildReturnColumns(med.endToEnd, returned),
      sender: movement.receiver,
      receiver: movement.sender,
      chargeUuid: charge?.uuid,
      originalUuid: movement.uuid,
      disputeUuid: med.uuid,
      settledAt: new Date(returned.at),
    },
    at,
  )
}
