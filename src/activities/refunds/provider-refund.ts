import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { Refund, type RefundPart } from '../../db/entities/refund.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { computeRefundableCents } from '../../domain/refunds/refund.ts'
import { recordChargeEvent, recordRefundEvent } from '../events/record-event.ts'
import { computeSplitShares } from './open.ts'
import { addSplitReturnRequests, transitionThroughRefund } from './settle.ts'

export type ProviderRefund = {
  /** Under its row lock (`lockCharge`). */
  charge: Charge
  /** The settled movement that took the money back; its dispute, where one ordered it. */
  out: Movement
  /** Whose workflow starts the deliveries of the events. */
  ownerUuid: string
  requestId: string
  at: Date
}

/**
 * Records a return that the provider made of a charge's PIX without an order of ours, by a dispute or in its panel, as a
 * refund that has settled already (SPEC §5). The charge is refunded by it as far as anything is left to refund, so that no
 * later refund exceeds what was received; no split is asked for it, now or later. The caller books the movement.
 */
export async function recordProviderRefund(em: EntityManager, provider: ProviderRefund): Promise<void> {
  const { charge, out, ownerUuid: lifeUuid, requestId, at } = provider
  const cents = out.valueCents
  const shown = Math.min(cents, computeRefundableCents(charge))
  const parts = buildProviderRefundParts(charge, { cents, shown })
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
  addSplitReturnRequests(charge, parts)
  charge.refundedCents += shown
  const moves = shown > 0 && chargeMachine.accepts(charge.state, 'refund_requested')
  if (moves) transitionThroughRefund(charge, at)
  await em.flush()
  out.refundUuid = refund.uuid
  await recordRefundEvent(em, refund, { charge, at, ownerUuid: lifeUuid })
  if (moves) await recordChargeEvent(em, charge, { at, ownerUuid: lifeUuid })
}

/** The owner pays it all; what it would have asked of each split counts as asked, so that no later refund asks for it. */
function buildProviderRefundParts(
  charge: Charge,
  { cents, shown }: { cents: number; shown: number },
): RefundPart[] {
  const waived = computeSplitShares(charge, shown).map(({ split, cents: asked }) => ({
    account_uuid: split.accountUuid,
    split_uuid: split.uuid,
    cents: 0,
    asked,
  }))
  return [...waived, { account_uuid: charge.accountUuid, split_uuid: null, cents, asked: cents }]
}
