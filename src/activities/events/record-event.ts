import { z } from 'zod'
import { chargeSchema, showCharge } from '../../contract/charges/charge.ts'
import {
  type AttachmentLinker,
  disputeSchema,
  showAttachments,
  showDispute,
} from '../../contract/disputes/dispute.ts'
import { movementSchema, showMovement } from '../../contract/ledger/movement.ts'
import { refundSchema, showRefund } from '../../contract/refunds/refund.ts'
import { showTransfer, transferSchema } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { ATTACHMENT_ORDER, Attachment, type Dispute } from '../../db/entities/dispute.ts'
import type { Movement } from '../../db/entities/movement.ts'
import type { Refund } from '../../db/entities/refund.ts'
import { loadAttemptProviders } from '../../db/repositories/attempts.ts'
import { insertEvent } from '../../db/repositories/events.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import type { LockedTransfer } from '../shared/transition.ts'

/** Records a PAYMENT event: the charge as its GET shows it now. `late`: the payment came after the charge had ended. */
export function recordChargeEvent(
  em: EntityManager,
  charge: Charge,
  { at, late = false, ownerUuid = charge.uuid }: { at: Date; late?: boolean; ownerUuid?: string },
): Promise<void> {
  charge.sequence += 1
  return insertEvent(em, {
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    type: 'PAYMENT',
    subjectUuid: charge.uuid,
    sequence: charge.sequence,
    body: { ...z.encode(chargeSchema, showCharge(charge)), ...(late && { late: true }) },
    ownerUuid,
    requestId: charge.requestId,
    at,
  })
}

/** Records a TRANSFER event: the transfer as its GET shows it now. */
export async function recordTransferEvent(
  em: EntityManager,
  { transfer, attempts }: LockedTransfer,
  { at, late = false }: { at: Date; late?: boolean },
): Promise<void> {
  transfer.sequence += 1
  const view = showTransfer(transfer, await loadAttemptProviders(em, attempts))
  return insertEvent(em, {
    accountUuid: transfer.accountUuid,
    connectionUuid: transfer.connection.uuid,
    type: 'TRANSFER',
    subjectUuid: transfer.uuid,
    sequence: transfer.sequence,
    body: { ...z.encode(transferSchema, view), ...(late && { late: true }) },
    ownerUuid: transfer.uuid,
    requestId: transfer.requestId,
    at,
  })
}

/** Records a REFUND event: the refund result as its GET shows it now. */
export function recordRefundEvent(
  em: EntityManager,
  refund: Refund,
  { charge, at, ownerUuid = refund.uuid }: { charge: Charge; at: Date; ownerUuid?: string },
): Promise<void> {
  refund.sequence += 1
  return insertEvent(em, {
    accountUuid: refund.accountUuid,
    connectionUuid: refund.connectionUuid,
    type: 'REFUND',
    subjectUuid: refund.uuid,
    sequence: refund.sequence,
    body: z.encode(refundSchema, showRefund(refund, charge)),
    ownerUuid,
    requestId: refund.requestId,
    at,
  })
}

/** Records a MED event: the dispute as its GET shows it now, with new links to its proofs. */
export async function recordDisputeEvent(
  em: EntityManager,
  dispute: Dispute,
  { at, linkTo }: { at: Date; linkTo: AttachmentLinker },
): Promise<void> {
  dispute.sequence += 1
  const attachments = await em.find(Attachment, { disputeUuid: dispute.uuid }, { orderBy: ATTACHMENT_ORDER })
  return insertEvent(em, {
    accountUuid: dispute.accountUuid,
    connectionUuid: dispute.connection.uuid,
    type: 'MED',
    subjectUuid: dispute.uuid,
    sequence: dispute.sequence,
    body: z.encode(disputeSchema, showDispute(dispute, await showAttachments(attachments, linkTo))),
    ownerUuid: dispute.uuid,
    requestId: dispute.requestId,
    at,
  })
}

/** Creates the function that makes links to attachments in the file store. */
export function createAttachmentLinker({ storage }: Pick<ActivityDependencies, 'storage'>): AttachmentLinker {
  return ({ storageKey }) => storage.createLink(storageKey)
}

/** Records a PIX_TRANSACTION event: one settled movement, with its reason where it has one. */
export function recordMovementEvent(
  em: EntityManager,
  movement: Movement,
  context: { ownerUuid: string; requestId: string; at: Date },
): Promise<void> {
  movement.sequence += 1
  return insertEvent(em, {
    accountUuid: movement.accountUuid,
    connectionUuid: movement.connectionUuid ?? null,
    type: 'PIX_TRANSACTION',
    subjectUuid: movement.uuid,
    sequence: movement.sequence,
    body: z.encode(movementSchema, showMovement(movement)),
    ...context,
  })
}
