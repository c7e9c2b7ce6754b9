import { z } from 'zod'
import { chargeSchema } from '../charges/charge.ts'
import { uuidSchema } from '../shared/fields.ts'

/** The order that makes a deposit the payment of a static code (SPEC §2). */

export const assignDepositBody = z
  .strictObject({
    qr_code_uuid: uuidSchema.meta({
      description: 'The QR code that the payer has paid, or the charge whose static code it was',
    }),
  })
  .meta({ id: 'AssignDepositRequest' })
export type AssignDepositBody = z.output<typeof assignDepositBody>

/** `data`: the charge that the deposit pays, as it is now. */
export const assignedDepositResponse = z.object({ message: z.string(), data: chargeSchema })
