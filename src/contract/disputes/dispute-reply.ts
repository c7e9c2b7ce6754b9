import { z } from 'zod'
import { ATTACHMENT_TYPES, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../../domain/disputes/attachment.ts'
import { flag } from '../shared/fields.ts'

/** Form of POST /meds/{medUuid}/reply (api-document.txt), read by src/http/multipart.ts. */

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
