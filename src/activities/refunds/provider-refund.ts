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
  /** Locked by the caller (`lockCharge`). */
  charge: Charge
  /** The settled movement of the return; it names the dispute, where one ordered it. */
  out: Movement
  /** Uuid of the operation whose workflow starts the deliveries of the events. */
  ownerUuid: string
  requestId: string
  at: Date
}

/**
 * Records a return that the provider made of a charge's PIX without an order of ours, by a dispute or in its panel, as
 * a settled refund (SPEC §5). It counts as refunded up to what is left to refund, so that no later refund exceeds what
 * was received. No split pays for it, now or later. The caller posts the movement.
 */
export async function recordProviderRefund(em: EntityManager, provider: ProviderRefund): Promise<void> {
  const { charge, out, ownerUuid, requestId, at } = provider
  const cents = out.valueCents
  const countedCents = Math.min(cents, computeRefundableCents(charge))
  // The charge's owner pays all of it. The share of each split is stored as requested and not paid, so that no later
  // refund asks for it.
  const splitParts: RefundPart[] = computeSplitShares(charge, countedCents).map(
    ({ split, cents: requestedCents }) => ({
      accountUuid: split.accountUuid,
      splitUuid: split.uuid,
      cents: 0,
      requestedCents,
    }),
  )
  const ownerPart = { accountUuid: charge.accountUuid, splitUuid: null, cents, requestedCents: cents }
  const parts = [...splitParts, ownerPart]
  const refund = em.create(Refund, {
    uuid: randomUUID(),
    chargeUuid: charge.uuid,
    disputeUuid: out.disputeUuid ?? null,
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
  charge.refundedCents += countedCents
  const isTransition = countedCents > 0 && chargeMachine.accepts(charge.state, 'refund_requested')
  if (isTransition) transitionThroughRefund(charge, at)
  await em.flush()
  out.refundUuid = refund.uuid
  await recordRefundEvent(em, refund, { charge, at, ownerUuid })
  if (isTransition) await recordChargeEvent(em, charge, { at, ownerUuid })
}
