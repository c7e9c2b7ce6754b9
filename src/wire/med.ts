import { z } from 'zod'
import type { Attachment, Med } from '../db/entities/med.ts'
import type { Movement } from '../db/entities/movement.ts'
import { DISPUTE_TYPES, med as life, MED_KINDS, MED_STATUSES } from '../domain/med.ts'
import {
  day,
  flag,
  instant,
  namesQuery,
  one,
  page,
  pageQuery,
  party,
  providerShown,
  reaisShown,
  reaisText,
  uuid,
} from './common.ts'
import { showInitiation, showRecord } from './movement.ts'

/** api-document.txt, Dispute (MED): as it is read, listed and announced. */

const disputeInitiation = z
  .object({
    sender: party.nullable(),
    receiver: party,
    txid: z.string().nullable(),
    value: reaisText,
    type: z.enum(['QR_DYNAMIC', 'QR_STATIC', 'KEY', 'REFUND']),
    pix_key: z.string(),
    additional_info: z.array(z.object({ name: z.string(), value: z.string() })),
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
    expires_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'DisputeInitiation' })

const disputeRecord = z
  .object({
    uuid,
    initiation: disputeInitiation,
    value: reaisText,
    movement_type: z.enum(['IN', 'OUT']),
    type: z.enum(['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND']),
    status: z.enum(['PENDING', 'SETTLED', 'FAILED']),
    end_to_end: z.string(),
    settled_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'DisputeRecord', description: 'The disputed PIX' })

export const medShown = z
  .object({
    uuid,
    pix_in_transaction: disputeRecord,
    attachments: z.array(
      z
        .object({ uuid, url: z.string().meta({ description: 'Signed; it expires' }) })
        .meta({ id: 'Attachment' }),
    ),
    med_type: z.enum(MED_KINDS),
    dispute_type: z.enum(DISPUTE_TYPES),
    status: z.enum(MED_STATUSES),
    details: z.string(),
    analysis: z.string().meta({ description: 'Of the reply, or the provider’s while there is none' }),
    resolved: z.boolean(),
    due_at: instant.meta({ description: 'Until when a reply is taken' }),
    value: reaisShown.meta({ description: 'What is asked back' }),
    blocked_value: reaisShown.meta({ description: 'What is kept for it now' }),
    charge_uuid: uuid.optional(),
    transfer_uuid: uuid.optional(),
    provider: providerShown,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Dispute' })

export const medAnswer = one(medShown)
export const medPage = page(medShown)

export const medsQuery = z.strictObject({
  ...pageQuery,
  uuid: uuid.optional(),
  status: namesQuery([...MED_STATUSES, 'UNDEFINED']).optional(),
  med_type: namesQuery(MED_KINDS).optional(),
  dispute_type: namesQuery(DISPUTE_TYPES).optional(),
  resolved: flag.optional().meta({ description: 'Whether nothing more happens to it' }),
  open: flag
    .optional()
    .meta({ description: 'Whether it awaits a reply or a decision: PENDING or PROCESSING' }),
  date_from: day.optional(),
  date_to: day.optional(),
})
export type MedsQuery = z.output<typeof medsQuery>

/** Makes the address that a proof can be read at for a while. */
export type LinkTo = (attachment: Attachment) => Promise<string>
export type ShownAttachment = { uuid: string; url: string }

/** The proofs of a dispute as they are shown now. */
export function showAttachments(attachments: Attachment[], linkTo: LinkTo): Promise<ShownAttachment[]> {
  return Promise.all(
    attachments.map(async attachment => ({ uuid: attachment.uuid, url: await linkTo(attachment) })),
  )
}

/** The dispute as GET shows it now; the caller has loaded connection and movement. */
export function showMed(med: Med, attachments: ShownAttachment[]): z.output<typeof medShown> {
  return {
    uuid: med.uuid,
    pix_in_transaction: showDisputed(med.movement),
    attachments,
    med_type: med.kind,
    dispute_type: med.disputeType,
    status: life.shows(med.state),
    details: med.details,
    analysis: med.analysis ?? med.providerAnalysis,
    resolved: life.isOver(med.state),
    due_at: med.dueAt,
    value: med.valueCents,
    blocked_value: med.heldCents + med.retainedCents,
    ...(med.chargeUuid && { charge_uuid: med.chargeUuid }),
    ...(med.transferUuid && { transfer_uuid: med.transferUuid }),
    provider: { uuid: med.connection.uuid, provider: med.connection.provider },
    created_at: med.createdAt,
    updated_at: med.updatedAt,
  }
}

function showDisputed(movement: Movement): z.output<typeof disputeRecord> {
  return {
    ...showRecord(movement),
    initiation: {
      ...showInitiation(movement),
      pix_key: movement.pixKey ?? '',
      additional_info: [],
    },
  }
}
