import { z } from 'zod'
import { MOVEMENT_REASONS } from '../domain/movement.ts'
import { day, instant, page, pageQuery, providerShown, reaisShown, reaisText, uuid } from './common.ts'

/** SPEC §7: the account's statement, one line for each change of what it can spend. */

export const ledgerQuery = z.strictObject({
  ...pageQuery,
  provider_uuid: uuid.optional(),
  date_from: day.optional(),
  date_to: day.optional(),
})
export type LedgerQuery = z.output<typeof ledgerQuery>

export const ledgerLine = z
  .object({
    uuid: uuid.meta({ description: 'The movement' }),
    type: z.enum(['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND', 'SPLIT', 'FEE', 'HOLD', 'DEPOSIT', 'ADJUSTMENT']),
    movement_type: z.enum(['IN', 'OUT']).meta({ description: 'Whether this line adds or takes' }),
    value: reaisShown.meta({ description: 'What this line adds or takes, never negative' }),
    balance: reaisText.meta({ description: 'The available balance at this provider after this line' }),
    status: z.enum(['PENDING', 'SETTLED', 'FAILED']),
    end_to_end: z.string(),
    reason: z.enum(MOVEMENT_REASONS).optional(),
    charge_uuid: uuid.optional(),
    transfer_uuid: uuid.optional(),
    refund_uuid: uuid.optional(),
    provider: providerShown,
    created_at: instant,
  })
  .meta({ id: 'LedgerLine' })

export const ledgerPage = page(ledgerLine)
