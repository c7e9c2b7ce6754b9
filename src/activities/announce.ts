import { z } from 'zod'
import { namedAttempts } from '../db/attempts.ts'
import { HEARS_OF_ITS_MODE } from '../db/deliveries.ts'
import type { Charge } from '../db/entities/charge.ts'
import { ATTACHED, Attachment, type Med } from '../db/entities/med.ts'
import type { Movement } from '../db/entities/movement.ts'
import type { Refund } from '../db/entities/refund.ts'
import type { EntityManager } from '../db/orm.ts'
import { tell } from '../db/questions.ts'
import type { EventType } from '../domain/webhook.ts'
import { type LinkTo, medShown, showAttachments, showMed } from '../wire/med.ts'
import { movementShown, showMovement } from '../wire/movement.ts'
import { chargeShown, showCharge } from '../wire/payment.ts'
import { refundShown, showRefund } from '../wire/refund.ts'
import { showTransfer, transferShown } from '../wire/transfer.ts'
import type { Dependencies } from './dependencies.ts'
import type { PixOut } from './move.ts'

type Announcement = {
  accountUuid: string
  connectionUuid: string | null
  type: EventType
  subjectUuid: string
  sequence: number
  body: Record<string, unknown>
  /** Uuid of the operation whose workflow starts the deliveries. */
  lifeUuid: string
  requestId: string
  at: Date
}

/** A PAYMENT event: the charge as its GET shows it now. `late` marks money that came after the charge was over. */
export function announceCharge(
  em: EntityManager,
  charge: Charge,
  { at, late = false, lifeUuid = charge.uuid }: { at: Date; late?: boolean; lifeUuid?: string },
): Promise<void> {
  charge.sequence += 1
  return announce(em, {
    accountUuid: charge.accountUuid,
    connectionUuid: charge.connection.uuid,
    type: 'PAYMENT',
    subjectUuid: charge.uuid,
    sequence: charge.sequence,
    body: { ...z.encode(chargeShown, showCharge(charge)), ...(late && { late: true }) },
    lifeUuid,
    requestId: charge.requestId,
    at,
  })
}

/** A TRANSFER event: the transfer as its GET shows it now. */
export async function announceTransfer(
  em: EntityManager,
  { transfer, attempts }: PixOut,
  { at, late = false }: { at: Date; late?: boolean },
): Promise<void> {
  transfer.sequence += 1
  const shown = showTransfer(transfer, await namedAttempts(em, attempts))
  return announce(em, {
    accountUuid: transfer.accountUuid,
    connectionUuid: transfer.connection.uuid,
    type: 'TRANSFER',
    subjectUuid: transfer.uuid,
    sequence: transfer.sequence,
    body: { ...z.encode(transferShown, shown), ...(late && { late: true }) },
    lifeUuid: transfer.uuid,
    requestId: transfer.requestId,
    at,
  })
}

/** A REFUND event: the refund result as its GET shows it now. */
export function announceRefund(
  em: EntityManager,
  refund: Refund,
  { charge, at, lifeUuid = refund.uuid }: { charge: Charge; at: Date; lifeUuid?: string },
): Promise<void> {
  refund.sequence += 1
  return announce(em, {
    accountUuid: refund.accountUuid,
    connectionUuid: refund.connectionUuid,
    type: 'REFUND',
    subjectUuid: refund.uuid,
    sequence: refund.sequence,
    body: z.encode(refundShown, showRefund(refund, charge)),
    lifeUuid,
    requestId: refund.requestId,
    at,
  })
}

/** A MED event: the dispute as its GET shows it now, its proofs by links made now. */
export async function announceMed(
  em: EntityManager,
  med: Med,
  { at, linkTo }: { at: Date; linkTo: LinkTo },
): Promise<void> {
  med.sequence += 1
  const attachments = await em.find(Attachment, { medUuid: med.uuid }, { orderBy: ATTACHED })
  return announce(em, {
    accountUuid: med.accountUuid,
    connectionUuid: med.connection.uuid,
    type: 'MED',
    subjectUuid: med.uuid,
    sequence: med.sequence,
    body: z.encode(medShown, showMed(med, await showAttachments(attachments, linkTo))),
    lifeUuid: med.uuid,
    requestId: med.requestId,
    at,
  })
}

/** Makes links to attachments in the file store. */
export function linksTo({ storage }: Pick<Dependencies, 'storage'>): LinkTo {
  return ({ storageKey }) => storage.link(storageKey)
}

/** A PIX_TRANSACTION event: one settled movement, with the reason where it is out of the ordinary. */
export function announceMovement(
  em: EntityManager,
  movement: Movement,
  about: { lifeUuid: string; requestId: string; at: Date },
): Promise<void> {
  movement.sequence += 1
  return announce(em, {
    accountUuid: movement.accountUuid,
    connectionUuid: movement.connectionUuid ?? null,
    type: 'PIX_TRANSACTION',
    subjectUuid: movement.uuid,
    sequence: movement.sequence,
    body: z.encode(movementShown, showMovement(movement)),
    ...about,
  })
}

/**
 * Makes the deliveries of an event due for the next sweep, where no workflow starts them. Expects the transaction that wrote the
 * event.
 */
export function leaveDeliveriesToSweep(em: EntityManager, lifeUuid: string): Promise<void> {
  return tell(
    em,
    `update delivery d set wake_at = now() from event e
     where e.uuid = d.event_uuid and e.life_uuid = ? and d.status = 'PENDING' and d.tries = 0`,
    [lifeUuid],
  )
}

/**
 * Writes the event, and a delivery for each endpoint of its mode that subscribes to its type, in one statement. It has no result,
 * so it is batched with the transaction's next statement (src/db/pool.ts).
 */
async function announce(em: EntityManager, told: Announcement): Promise<void> {
  const { accountUuid, connectionUuid, type, subjectUuid, sequence, lifeUuid, requestId, at } = told
  const body = JSON.stringify({ ...told.body, sequence })
  await tell(
    em,
    `with happened as (
       insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, life_uuid, request_id, created_at)
       values (gen_random_uuid(), ?, ?, ?, ?, ?, ?, ?, ?, ?)
       returning uuid, account_uuid, connection_uuid, type, created_at
     )
     insert into delivery (uuid, webhook_uuid, event_uuid, created_at, updated_at)
     select gen_random_uuid(), w.uuid, e.uuid, e.created_at, e.created_at
     from happened e join webhook w on w.account_uuid = e.account_uuid left join connection k on k.uuid = e.connection_uuid
     where w.status = 'ACTIVE' and w.deleted_at is null and w.events @> array[e.type] and ${HEARS_OF_ITS_MODE}`,
    [accountUuid, connectionUuid, type, subjectUuid, sequence, body, lifeUuid, requestId, at],
  )
}
