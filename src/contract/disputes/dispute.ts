import { z } from 'zod'
import type { ReadAttachment, ReadDispute } from '../../db/repositories/disputes.ts'
import { ATTACHMENT_TYPES, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../../domain/disputes/attachment.ts'
import {
  DISPUTE_KINDS,
  DISPUTE_STATUSES,
  DISPUTE_TYPES,
  disputeMachine,
} from '../../domain/disputes/dispute.ts'
import {
  additionalInfoSchema,
  initiationFields,
  movementRecordFields,
  showMovementInitiation,
  showMovementRecord,
} from '../ledger/movement.ts'
import {
  dayQueryFields,
  flag,
  instantSchema,
  namesQuery,
  pageQueryFields,
  providerReference,
  reaisOutput,
  reaisText,
  requireDaysInOrder,
  rowTimes,
  uuidSchema,
  uuidsQuery,
} from '../shared/fields.ts'

/** Disputes (api-document.txt, Dispute (MED)): as GET, lists and events show them. */

const disputeInitiation = z
  .object({
    ...initiationFields,
    additional_info: z.array(additionalInfoSchema),
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
    expires_at: instantSchema.nullable(),
    ...rowTimes,
  })
  .meta({ id: 'DisputeInitiation' })

const disputeRecord = z
  .object({
    uuid: uuidSchema,
    initiation: disputeInitiation,
    value: reaisText,
    ...movementRecordFields,
  })
  .meta({ id: 'DisputeRecord', description: 'The disputed PIX' })

export const disputeSchema = z
  .object({
    uuid: uuidSchema,
    pix_in_transaction: disputeRecord,
    attachments: z.array(
      z
        .object({
          uuid: uuidSchema,
          url: z.string().meta({ description: 'Signed; it expires', format: 'uri' }),
        })
        .meta({ id: 'Attachment' }),
    ),
    med_type: z.enum(DISPUTE_KINDS),
    dispute_type: z.enum(DISPUTE_TYPES),
    status: z.enum(DISPUTE_STATUSES),
    details: z.string(),
    analysis: z.string().meta({ description: 'Of the reply, or the provider’s while there is none' }),
    reply_error: z
      .object({ code: z.string(), message: z.string() })
      .meta({ id: 'DisputeReplyError' })
      .optional()
      .meta({ description: 'Why the provider refused the last reply; absent once there is another' }),
    resolved: z.boolean().meta({
      description:
        'Whether it is over. True with `PROCESSING`: no decision was published in the 91 days in which money could be returned, and nothing is blocked any more',
    }),
    due_at: instantSchema.meta({ description: 'Deadline of the reply' }),
    value: reaisOutput.meta({ description: 'Disputed amount' }),
    blocked_value: reaisOutput.meta({ description: 'Amount blocked for the dispute now' }),
    charge_uuid: uuidSchema.optional(),
    transfer_uuid: uuidSchema.optional(),
    provider: providerReference,
    ...rowTimes,
  })
  .meta({ id: 'Dispute' })

export const disputesQuery = z
  .strictObject({
    ...pageQueryFields,
    uuid: uuidsQuery,
    status: namesQuery(
      [...DISPUTE_STATUSES, 'UNDEFINED'],
      'In one of these statuses; `UNDEFINED` selects none',
    ),
    med_type: namesQuery(
      DISPUTE_KINDS,
      'RECEIVED_MED claims a payment of a charge back, REQUESTED_MED a transfer',
    ),
    dispute_type: namesQuery(DISPUTE_TYPES, 'With one of these reasons'),
    resolved: flag.optional().meta({ description: 'Whether the dispute is closed' }),
    open: flag.optional().meta({
      description: 'Whether it awaits a reply or a decision: PENDING or PROCESSING, and not resolved',
    }),
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type DisputesQuery = z.output<typeof disputesQuery>

export type AttachmentLinker = (attachment: ReadAttachment) => Promise<string>
export type AttachmentLink = { uuid: string; url: string }

export function showAttachments(attachments: ReadAttachment[], linkTo: AttachmentLinker) {
  return Promise.all(
    attachments.map(async attachment => ({ uuid: attachment.uuid, url: await linkTo(attachment) })),
  )
}

/** Presents the current dispute, as GET shows it. The caller has loaded connection and movement. */
export function showDispute(
  dispute: ReadDispute,
  attachments: AttachmentLink[],
): z.output<typeof disputeSchema> {
  return {
    uuid: dispute.uuid,
    pix_in_transaction: {
      ...showMovementRecord(dispute.movement),
      initiation: {
        ...showMovementInitiation(dispute.movement),
        pix_key: dispute.movement.pixKey ?? '',
        additional_info: [],
      },
    },
    attachments,
    med_type: dispute.kind,
    dispute_type: dispute.disputeType,
    status: disputeMachine.statusOf(dispute.state),
    details: dispute.details,
    analysis: dispute.analysis ?? dispute.providerAnalysis,
    ...(dispute.replyFailure && { reply_error: dispute.replyFailure }),
    resolved: disputeMachine.isFinal(dispute.state),
    due_at: dispute.dueAt,
    value: dispute.valueCents,
    blocked_value: dispute.heldCents + dispute.retainedCents,
    ...(dispute.chargeUuid && { charge_uuid: dispute.chargeUuid }),
    ...(dispute.transferUuid && { transfer_uuid: dispute.transferUuid }),
    provider: { uuid: dispute.connection.uuid, provider: dispute.connection.provider },
    created_at: dispute.createdAt,
    updated_at: dispute.updatedAt,
  }
}

const accept = flag.meta({
  description: '`1` or `true` accepts: the money goes back. `0` or `false` rejects',
  examples: ['0'],
})

/** Names the form field of a file that was sent as `attachments`, `attachments[]` or `attachments[0]`. */
const describeFileField: z.core.$ZodErrorMap = ({ code }) =>
  code === 'invalid_type' ? 'must be sent as attachments[0][file]' : undefined

const attachment = z.preprocess(
  // An object with the properties of a File would have as many unknown fields.
  value => (value instanceof File ? value.name : value),
  z.strictObject(
    {
      file: z
        .file('must be a file')
        .min(1, 'must not be empty')
        .max(MAX_ATTACHMENT_BYTES, 'must be at most 10 MiB')
        .mime(ATTACHMENT_TYPES, 'must be a PDF, PNG, JPEG or WebP by its content')
        .meta({ description: 'PDF, PNG, JPEG or WebP by its content, at most 10 MiB' }),
    },
    { error: describeFileField },
  ),
)

/** Form of POST /meds/{medUuid}/reply (api-document.txt), read by src/http/multipart.ts. */
export const disputeReplyForm = z.strictObject({
  accept,
  analysis: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(2_000, 'must be at most 2000 characters')
    .meta({
      description:
        'Why; a provider may accept fewer characters, with links to the files: then 422 says how many',
      examples: ['The goods were delivered; the receipt is attached.'],
    }),
  attachments: z
    .array(attachment.optional(), { error: describeFileField })
    .default([])
    .transform(attachments => attachments.filter(one => one !== undefined))
    .meta({
      description: `Proofs, at most ${MAX_ATTACHMENTS}, sent as \`attachments[0][file]\`, \`attachments[1][file]\`, …`,
      maxItems: MAX_ATTACHMENTS,
    }),
})
export type DisputeReplyForm = z.output<typeof disputeReplyForm>
