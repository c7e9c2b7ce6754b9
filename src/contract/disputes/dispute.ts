import { z } from 'zod'
import type { Contest } from '../../db/entities/dispute.ts'
import type { ReadAttachment, ReadDispute } from '../../db/repositories/disputes.ts'
import { ATTACHMENT_TYPES, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../../domain/disputes/attachment.ts'
import { CONTEST_STATUSES, computeContestEnd, contestMachine } from '../../domain/disputes/contest.ts'
import {
  DISPUTE_KINDS,
  DISPUTE_STATUSES,
  DISPUTE_TYPES,
  disputeMachine,
} from '../../domain/disputes/dispute.ts'
import { type DisputeRecovery, RECOVERY_STAGES } from '../../domain/disputes/provider-dispute.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import {
  additionalInfoSchema,
  initiationFields,
  movementRecordFields,
  showMovementInitiation,
  showMovementRecord,
} from '../ledger/movement.ts'
import {
  caseInsensitiveEnum,
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

const disputeFailure = z.object({ code: z.string(), message: z.string() }).meta({ id: 'DisputeFailure' })

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
    reply_error: disputeFailure
      .optional()
      .meta({ description: 'Why the provider refused the last reply; absent once there is another' }),
    error: disputeFailure
      .optional()
      .meta({ description: 'Of a REQUESTED_MED that is REJECTED: why the provider refused the request' }),
    resolved: z.boolean().meta({
      description:
        'Whether it is over. True with `PROCESSING`: no decision was published in the 91 days in which money could be returned, and nothing is blocked any more',
    }),
    due_at: instantSchema.meta({ description: 'Deadline of the reply' }),
    value: reaisOutput.meta({ description: 'Disputed amount' }),
    blocked_value: reaisOutput.meta({ description: 'Amount blocked for the dispute now' }),
    recovered_value: reaisOutput.optional().meta({ description: 'Of a REQUESTED_MED: what came back by it' }),
    recovery: z
      .object({
        stage: z.enum(RECOVERY_STAGES),
        events: z
          .array(
            z.object({ stage: z.enum(RECOVERY_STAGES), at: z.iso.datetime() }).meta({ id: 'RecoveryEvent' }),
          )
          .meta({ description: 'The oldest first' }),
      })
      .meta({ id: 'Recovery' })
      .optional()
      .meta({
        description:
          'Of a REQUESTED_MED whose provider shows it: how far the Central Bank has come, from bank to bank that the money has reached',
      }),
    contestable_until: instantSchema
      .optional()
      .meta({ description: 'Of money that was returned by a RECEIVED_MED: until then it may be contested' }),
    contest: z
      .object({
        status: z.enum(CONTEST_STATUSES).meta({
          description: 'PENDING until it was handed to the provider, PROCESSING until its decision',
        }),
        analysis: z.string(),
        protocol: z.string().optional().meta({ description: 'Reference of the provider' }),
        value: reaisOutput.optional().meta({ description: 'What came back by it' }),
        created_at: instantSchema,
        updated_at: instantSchema,
      })
      .meta({ id: 'Contest' })
      .optional()
      .meta({ description: 'Absent while what was returned has not been contested' }),
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
    contestable: flag.optional().meta({
      description: 'Whether money was returned by it that may be contested now, and was not yet',
    }),
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type DisputesQuery = z.output<typeof disputesQuery>

export type AttachmentLinker = (attachment: ReadAttachment) => Promise<string>
type AttachmentLink = { uuid: string; url: string }

type ShownDispute = z.output<typeof disputeSchema>

/** Presents the response of POST /meds, which a replay repeats: the dispute as it was requested. */
export function showRequestedDispute(dispute: ReadDispute): ShownDispute {
  const { recovery: _, error: __, ...shown } = showDispute(dispute, { attachments: [], contest: null })
  const { createdAt } = dispute
  return { ...shown, status: 'PENDING', resolved: false, recovered_value: 0, updated_at: createdAt }
}

/** What a response shows of a dispute beside its row. */
type DisputeParts = { attachments: AttachmentLink[]; contest: Contest | null }

/** Presents the current dispute, as GET shows it. The caller has loaded connection and movement. */
export function showDispute(dispute: ReadDispute, { attachments, contest }: DisputeParts): ShownDispute {
  const isRequested = dispute.kind === 'REQUESTED_MED'
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
    ...(dispute.failure && (isRequested ? { error: dispute.failure } : { reply_error: dispute.failure })),
    resolved: disputeMachine.isFinal(dispute.state),
    due_at: dispute.dueAt,
    value: dispute.valueCents,
    blocked_value: dispute.heldCents + dispute.retainedCents,
    ...(isRequested && { recovered_value: dispute.returnedCents }),
    ...(dispute.recovery && { recovery: showRecovery(dispute.recovery) }),
    ...(dispute.returnedAt && { contestable_until: computeContestEnd(dispute.returnedAt) }),
    ...(contest && { contest: showContest(contest) }),
    ...(dispute.chargeUuid && { charge_uuid: dispute.chargeUuid }),
    ...(dispute.transferUuid && { transfer_uuid: dispute.transferUuid }),
    provider: { uuid: dispute.connection.uuid, provider: dispute.connection.provider },
    created_at: dispute.createdAt,
    updated_at: dispute.updatedAt,
  }
}

/** Presents a dispute as `showDispute`, with new links to its attachments. */
export async function showLinkedDispute(
  dispute: ReadDispute,
  { attachments, contest }: { attachments: ReadAttachment[]; contest: Contest | null },
  linkTo: AttachmentLinker,
): Promise<ShownDispute> {
  const links = attachments.map(async attachment => ({
    uuid: attachment.uuid,
    url: await linkTo(attachment),
  }))
  return showDispute(dispute, { attachments: await Promise.all(links), contest })
}

function showRecovery({ stage, events }: DisputeRecovery): ShownDispute['recovery'] {
  return { stage, events: events.map(one => ({ ...one, at: formatTimestamp(new Date(one.at)) })) }
}

function showContest({ state, analysis, protocol, valueCents, createdAt, updatedAt }: Contest) {
  return {
    status: contestMachine.statusOf(state),
    analysis,
    ...(protocol != null && { protocol }),
    ...(valueCents != null && { value: valueCents }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/** Body of POST /meds: the account wants the money of a transfer back (SPEC §5). */
export const requestDisputeBody = z.strictObject({
  transfer_uuid: uuidSchema.meta({ description: 'A settled transfer of the account' }),
  dispute_type: caseInsensitiveEnum(DISPUTE_TYPES).meta({
    description: 'What has happened. A quarrel about goods, or an own mistake, is none of these',
  }),
  details: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(2_000, 'must be at most 2000 characters')
    .meta({ description: 'What has happened, for the analysts of the banks' }),
})
export type RequestDisputeBody = z.output<typeof requestDisputeBody>

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

const attachments = z
  .array(attachment.optional(), { error: describeFileField })
  .default([])
  .transform(files => files.filter(one => one !== undefined))
  .meta({
    description: `Proofs, at most ${MAX_ATTACHMENTS}, sent as \`attachments[0][file]\`, \`attachments[1][file]\`, …`,
    maxItems: MAX_ATTACHMENTS,
  })

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
  attachments,
})
export type DisputeReplyForm = z.output<typeof disputeReplyForm>

/** Form of POST /meds/{medUuid}/contest, read by src/http/multipart.ts. */
export const contestForm = z.strictObject({
  analysis: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(2_000, 'must be at most 2000 characters')
    .meta({
      description: 'Why the money should not have been returned',
      examples: ['The payer received the goods on 12 October; the signed receipt is attached.'],
    }),
  attachments,
})
export type ContestForm = z.output<typeof contestForm>
