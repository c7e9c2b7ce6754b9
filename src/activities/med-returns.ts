import { randomUUID } from 'node:crypto'
import type { Charge } from '../db/entities/charge.ts'
import type { Med } from '../db/entities/med.ts'
import type { Movement } from '../db/entities/movement.ts'
import { Refund, type RefundPart } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { charge as chargeLife } from '../domain/charge.ts'
import { disputeReturned, type Leg, returnHeld, returnSettled } from '../domain/ledger.ts'
import { afterReturn } from '../domain/med.ts'
import type { MedReturn } from '../domain/med-facts.ts'
import { refundableCents } from '../domain/refund.ts'
import { announceCharge, announceMovement, announceRefund } from './announce.ts'
import type { Disputed } from './med-cover.ts'
import { book, newMovement } from './movements.ts'
import { returnColumns, unrecordedReturns } from './recorded-returns.ts'
import { askedOfSplits } from './refund-opening.ts'
import { askBack, moveThroughRefund } from './refund-settlements.ts'
import { afterDispute } from './returns.ts'

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
  if (charge) await refundCharge(em, { dispute: { ...dispute, charge }, out, cents: returned.cents, at })
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
    // A PIX is disputed once, so what this dispute has returned is all that ever went.
    movement.disposition = afterDispute(movement, med.returnedCents + cents)
    return [...returnHeld(accountUuid, cents), ...returnSettled(accountUuid, cents)]
  }
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  return disputeReturned(accountUuid, { cents, heldCents, retainedCents, availableCents })
}

type OfCharge = { dispute: Dispute & { charge: Charge }; out: Movement; cents: number; at: Date }

/** The charge is refunded by it, as far as anything was left to refund; no split is taken back, now or later. */
async function refundCharge(em: EntityManager, { dispute, out, cents, at }: OfCharge): Promise<void> {
  const { med, charge } = dispute
  const shown = Math.min(cents, refundableCents(charge))
  const parts = partsOf(charge, { cents, shown })
  const refund = em.create(Refund, {
    uuid: randomUUID(),
    chargeUuid: charge.uuid,
    medUuid: med.uuid,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    providerAccountUuid: charge.providerAccountUuid,
    state: 'settled',
    valueCents: cents,
    parts,
    movement: out,
    endToEnd: out.endToEnd ?? null,
    acceptedAt: at,
    requestId: med.requestId,
    fingerprint: '',
    createdAt: at,
    updatedAt: at,
  })
  askBack(charge, parts)
  charge.refundedCents += shown
  const moves = shown > 0 && chargeLife.accepts(charge.state, 'refund_requested')
  if (moves) moveThroughRefund(charge, at)
  await em.flush()
  out.refundUuid = refund.uuid
  await announceRefund(em, refund, { charge, at, lifeUuid: med.uuid })
  if (moves) await announceCharge(em, charge, { at, lifeUuid: med.uuid })
}

/** The owner pays it all; what it would have asked of each split counts as asked, so that no later refund asks for it. */
function partsOf(charge: Charge, { cents, shown }: { cents: number; shown: number }): RefundPart[] {
  const waived = askedOfSplits(charge, shown).map(({ split, cents: asked }) => ({
    account_uuid: split.accountUuid,
    split_uuid: split.uuid,
    cents: 0,
    asked,
  }))
  return [...waived, { account_uuid: charge.accountUuid, split_uuid: null, cents, asked: cents }]
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
