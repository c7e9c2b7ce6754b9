import { z } from 'zod'
import { LIMIT_NAMES } from '../../domain/limits/exceeded-limit.ts'
import { instantSchema, reaisOutput } from '../shared/fields.ts'

/** Approvals of transfers: the body of POST /transfers/{uuid}/reject, and why limits refuse an approval. */

const MAX_REASON_LENGTH = 500

export const rejectTransferBody = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(MAX_REASON_LENGTH)
    .meta({ description: 'Why it is not sent; shown with the transfer', examples: ['wrong supplier'] }),
})

/** The limit that refuses the approval of a transfer; in centavos inside. */
export const exceededLimitSchema = z
  .object({
    limit: z.enum(LIMIT_NAMES),
    left: reaisOutput.meta({ description: 'Reais that the limit still allows' }),
    resets_at: instantSchema
      .nullable()
      .meta({ description: 'When the limit allows more; null where time alone changes nothing' }),
  })
  .meta({ id: 'ExceededLimit', description: 'The limit that does not allow the transfer any more' })
