import { z } from 'zod'
import { payloadText } from '../qr-codes/code-reading.ts'
import { addFieldIssue, positiveReais, RUN_DESPITE_OTHER_ISSUES, uuidSchema } from '../shared/fields.ts'
import { createTransferBody, transferOrderFields } from './transfer.ts'

/** Transfers that pay a PIX code: the body of POST /transfers/qr-codes. */

const { type, external_ref, provider_uuid, final_beneficiary, allow_duplicate } = transferOrderFields
const { document, lookup_uuid, on_mismatch } = createTransferBody.shape

export const createCodeTransferBody = z
  .strictObject({
    payload: payloadText.optional().meta({ description: 'The copy-and-paste PIX code; this or `read_uuid`' }),
    read_uuid: uuidSchema.optional().meta({
      description:
        'A reading of POST /qr-codes/read: the code is read again, and paid only where receiver, value and txid are as they were shown',
    }),
    value: positiveReais.optional().meta({
      description:
        'Reais; needed where the payer chooses the value, and else the value of the code or absent',
      examples: [25.9],
    }),
    type,
    document,
    lookup_uuid: lookup_uuid.meta({
      description: 'Look-up of the key of the code within the last 15 minutes',
    }),
    on_mismatch,
    external_ref,
    provider_uuid,
    final_beneficiary,
    allow_duplicate,
  })
  .superRefine(({ payload, read_uuid }, context) => {
    if (payload === undefined && read_uuid === undefined) addFieldIssue(context, 'payload', 'is required')
    if (payload !== undefined && read_uuid !== undefined)
      addFieldIssue(context, 'payload', 'must be absent where read_uuid is given')
  }, RUN_DESPITE_OTHER_ISSUES)
export type CreateCodeTransferBody = z.output<typeof createCodeTransferBody>
