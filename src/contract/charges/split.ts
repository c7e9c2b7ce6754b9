import { z } from 'zod'
import type { ReadSplit } from '../../db/repositories/charges.ts'
import { SPLIT_STATUSES } from '../../domain/charges/split.ts'
import { caseInsensitiveEnum, reaisOutput, splitValue, uuidSchema } from '../shared/fields.ts'

/** Shares of other accounts in what a charge brings in: in requests, and as a charge shows them. */

export const MAX_SPLITS = 100

export const splitBody = z
  .strictObject({
    type: caseInsensitiveEnum(['PERCENTAGE', 'FIXED']).meta({
      description: 'A share of the value, or an amount',
    }),
    value: splitValue.meta({ description: 'Percent where PERCENTAGE (10 is 10 %), reais where FIXED' }),
    recipient_account_uuid: uuidSchema.meta({ description: 'The account that receives the share' }),
  })
  .meta({ id: 'SplitInput' })

export const splitSchema = z
  .object({
    uuid: uuidSchema,
    type: z.enum(['PERCENTAGE', 'FIXED']),
    value: reaisOutput.meta({ description: 'Percent where PERCENTAGE, reais where FIXED' }),
    status: z.enum(SPLIT_STATUSES),
    recipient_account: z.object({ uuid: uuidSchema, name: z.string() }).meta({ id: 'SplitRecipient' }),
  })
  .meta({ id: 'Split' })

export function showSplit(split: ReadSplit): z.output<typeof splitSchema> {
  return {
    uuid: split.uuid,
    type: split.type,
    value: split.amount,
    status: split.status,
    recipient_account: { uuid: split.recipient.uuid, name: split.recipient.name },
  }
}
