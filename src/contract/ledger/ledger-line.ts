import { z } from 'zod'
import { MOVEMENT_REASONS } from '../../domain/ledger/movement.ts'
import {
  day,
  instantSchema,
  pageQueryFields,
  providerReference,
  reaisOutput,
  reaisText,
  uuidSchema,
} from '../shared/fields.ts'

/** Account statement (SPEC §7): one line per change of the available balance. */

export const ledgerQuery = z.strictObject({
  ...pageQueryFields,
  provider_uuid: uuidSchema.optional(),
  date_from: day.optional(),
  date_to: day.optional(),
})
export type LedgerQuery = z.output<typeof ledgerQuery>

export const ledgerLineSchema = z
  .object({
    uuid: uuidSchema.meta({ description: 'The movement' }),
    type: z.enum(['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND', 'SPLIT', 'FEE', 'HOLD', 'DEPOSIT', 'ADJUSTMENT']),
    movement_type: z.enum(['IN', 'OUT']).meta({ description: 'Whether this line adds or takes' }),
    value: reaisOutput.meta({ description: 'What this line adds or takes, never negative' }),
    balance: reaisText.meta({ description: 'The available balance at this provider after this line' }),
    status: z.enum(['PENDING', 'SETTLED', 'FAILED']),
    end_to_end: z.string(),
    reason: z.enum(MOVEMENT_REASONS).optional(),
    charge_uuid: uuidSchema.optional(),
    transfer_uuid: uuidSchema.optional(),
    refund_uuid: uuidSchema.optional(),
    provider: providerReference,
    created_at: instantSchema,
  })
  .meta({ id: 'LedgerLine' })
