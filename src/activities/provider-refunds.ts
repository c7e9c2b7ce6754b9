import { randomUUID } from 'node:crypto'
import type { Charge } from '../db/entities/charge.ts'
import type { Movement } from '../db/entities/movement.ts'
import { Refund, type RefundPart } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { charge as chargeMachine } from '../domain/charge.ts'
import { refundableCents } from '../domain/refund.ts'
import { announceCharge, announceRefund } from './announce.ts'
import { askedOfSplits } from './refund-opening.ts'
import { askBack, moveThroughRefund } from './refund-settlements.ts'

export type ProviderRefund = {
  /** Under its row lock (`lockCharge`). */
  charge: Charge
  /** The settled movement that took the money back; its dispute, where one ordered it. */
  out: Movement
  /** Whose workflow starts the deliveries of the events. */
  lifeUuid: string
  requestId: string
  at: Date
}

/**
 * Records a return that the provider made of a charge's PIX without an order of ours, by a dispute or in its panel, as a
 * refund that has settled already (SPEC §5). The charge is refunded by it as far as anything is left to refund, so that no
 * later refund exceeds what was received; no split is asked for it, now or later. The caller books the movement.
 */
export async function recordProviderRefund(em: EntityManager, provider: ProviderRefund): Promise<void> {
  const { charge, out, lifeUuid, requestId, at } = provider
  const cents = out.valueCents
  const shown = Math.min(cents, refundableCents(charge))
  const parts = partsOf(charge, { cents, shown })
  const refund = em.create(Refund, {
    uuid: randomUUID(),
    chargeUuid: charge.uuid,
    medUuid: out.medUuid ?? null,
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    providerAccountUuid: charge.providerAccountUuid,
    state: 'settled',
    valueCents: cents,
    parts,
    movement: out,
    endToEnd: out.endToEnd ?? null,
    acceptedAt: at,
    requestId,
    fingerprint: '',
    createdAt: at,
    updatedAt: at,
  })
  askBack(charge, parts)
  charge.refundedCents += shown
  const moves = shown > 0 && chargeMachine.accepts(charge.state, 'refund_requested')
  if (moves) moveThroughRefund(charge, at)
  await em.flush()
  out.refundUuid = refund.uuid
  await announceRefund(em, refund, { charge, at, lifeUuid })
  if (moves) await announceCharge(em, charge, { at, lifeUuid })
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
