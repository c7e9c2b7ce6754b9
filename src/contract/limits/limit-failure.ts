import { z } from 'zod'
import type { OperationFailure } from '../../db/entities/transfer.ts'
import { LIMIT_NAMES } from '../../domain/limits/exceeded-limit.ts'
import { reaisOutput } from '../shared/fields.ts'

/** Fields that the error of a transfer or refund has beside the others, with the code `over_limit`. */
export const limitFailureFields = {
  limit: z.enum(LIMIT_NAMES).optional().meta({ description: 'Of `over_limit`: which limit' }),
  left: reaisOutput.optional().meta({ description: 'Of `over_limit`: reais that the limit still allowed' }),
  resets_at: z.iso.datetime().nullable().optional().meta({
    description: 'Of `over_limit`: when the limit allows more; null where time alone changes nothing',
  }),
}

/** Presents which limit an order has exceeded; nothing where it failed for another reason. */
export function showExceededLimit(exceeded: OperationFailure['exceeded']) {
  return exceeded && { limit: exceeded.limit, left: exceeded.left_cents, resets_at: exceeded.resets_at }
}
