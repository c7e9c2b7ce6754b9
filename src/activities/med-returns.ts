import type { Med } from '../db/entities/med.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { disputeReturned, type Leg, returnHeld, returnSettled } from '../domain/ledger.ts'
import { afterReturn } from '../domain/med.ts'
import type { MedReturn } from '../domain/med-facts.ts'
import { announceMovement } from './announce.ts'
import type { Disputed } from './med-cover.ts'
import { book, newMovement } from './movements.ts'
import { recordProviderRefund } from './provider-refunds.ts'
import { returnColumns, unrecordedReturns } from './recorded-returns.ts'
import { countProviderReturns } from './returns.ts'

/** A dispute with what it is about, all locked. */
export type Dispute = Disputed & { med: Med }

/**
 * Books the returns that a provider sent by a dispute, each once, known by the disputed PIX and the provider's id of the
 * return. Nothing is sent: each is recorded as a refund of the charge that has settled already (SPEC §5). Money that went is
 * always followed, whatever state the dispute is in.
 */
export async function takeMedReturns(
  em: EntityManager,
  dispute: Dispute,
  returns: MedReturn[],
  at: Date,
): Promise<void> {
  if (returns.length === 0) return
  const { providerAccountUuid, endToEnd } = dispute.med
  const pix = { providerAccountUuid, movementType: 'OUT' as const, names: [endToEnd] }
  for (const one of await unrecordedReturns(em, pix, returns)) await takeReturn(em, dispute, one, at)
}

async function takeReturn(em: EntityManager, dispute: Dispute, returned: MedReturn, at: Date): Promise<void> {
  const { med, charge } = dispute
  const out = outMovement(em, dispute, returned, at)
  const legs = await legsOf(em, dispute, returned.cents)
  const after = afterReturn(med, returned.cents)
  if (charge) charge.disputedCents -= med.claimedCents - after.claimedCents
  Object.assign(med, after)
  med.returnedCents += returned.cents
  const about = { lifeUuid: med.uuid, requestId: med.requestId, at }
  if (charge) await recordProviderRefund(em, { charge, out, ...about })
  await book(em, out, legs)
  await announceMovement(em, out, about)
}

/**
 * Out of what the dispute holds, then of what there is. An unmatched PIX that is not on its way back waits in `pending`,
 * and is not sent any more; of one that is, our own return's refusal makes it good.
 */
async function legsOf(em: EntityManager, { med, movement }: Dispute, cents: number): Promise<Leg[]> {
  const { accountUuid, providerAccountUuid, heldCents, retainedCents } = med
  if (movement.disposition === 'held' || movement.disposition === 'not_returned') {
    await countProviderReturns(em, movement)
    return [...returnHeld(accountUuid, cents), ...returnSettled(accountUuid, cents)]
  }
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  return disputeReturned(accountUuid, { cents, heldCents, retainedCents, availableCents })
}

function outMovement(em: EntityManager, { med, movement, charge }: Dispute, returned: MedReturn, at: Date) {
  const { accountUuid, providerAccountUuid } = med
  return newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid: med.connection.uuid },
    {
      type: 'EXTERNAL_REFUND',
      movementType: 'OUT',
      valueCents: returned.cents,
      status: 'SETTLED',
      ...returnColumns(med.endToEnd, returned),
      sender: movement.receiver,
      receiver: movement.sender,
      chargeUuid: charge?.uuid,
      originalUuid: movement.uuid,
      medUuid: med.uuid,
      settledAt: new Date(returned.at),
    },
    at,
  )
}
