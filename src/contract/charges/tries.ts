import { z } from 'zod'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { TRY_KINDS, TRY_STATUSES } from '../../domain/recurrences/charge-try.ts'

/** What the payment of a debit alone shows: its tries. */

export const trySchema = z
  .object({
    on: z.iso.date(),
    kind: z.enum(TRY_KINDS).meta({
      description:
        'FIRST on the due day, RETRY on a later one, SAME_DAY where the bank is asked again on the day of one that failed',
    }),
    status: z.enum(TRY_STATUSES),
    code: z.string().nullable().meta({ description: 'Why it was rejected, a code of the rail' }),
    end_to_end: z.string().nullable(),
  })
  .meta({ id: 'DebitTry' })

/** Presents tries of a debit; nothing of any other charge. */
export function showTries({ debitOn }: ReadCharge, tries: ReadCharge['tries']) {
  if (debitOn == null) return {}
  return { tries: tries.map(({ endToEnd, ...one }) => ({ ...one, end_to_end: endToEnd })) }
}
