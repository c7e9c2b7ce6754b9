import { z } from 'zod'
import type { StoredCodeReading } from '../../db/entities/code-reading.ts'
import { CODE_KINDS, CODE_SIGNATURES, CODE_STATUSES } from '../../domain/qr-codes/code-reading.ts'
import { day, instantSchema, partySchema, reaisOutput, uuidSchema } from '../shared/fields.ts'

/** Reading a PIX code before it is paid: the body of POST /qr-codes/read and its answer. */

/** Longest text of a code that is read: a payload has 512 characters, and what is pasted may have blanks around it. */
const MAX_TEXT_LENGTH = 1_000

/** The text of a code in a request. */
export const payloadText = z.string().min(1).max(MAX_TEXT_LENGTH)

export const readCodeBody = z.strictObject({
  payload: payloadText.meta({ description: 'The copy-and-paste PIX code; blanks around it do not count' }),
  pay_on: day.optional().meta({
    description: 'The day of payment in Brasília, for which a charge with a due date is read; default: today',
    examples: ['2026-11-25'],
  }),
  cod_mun: z
    .string()
    .regex(/^\d{7}$/, 'must have seven digits')
    .optional()
    .meta({ description: 'The municipality of the payer by the table of the IBGE, whose holidays count' }),
})
export type ReadCodeBody = z.output<typeof readCodeBody>

export const codeReadingSchema = z
  .object({
    uuid: uuidSchema,
    kind: z.enum(CODE_KINDS).meta({
      description:
        'STATIC: a key, with or without a value. DYNAMIC: a charge at the receiver’s bank, DUE: one with a due date. RECURRENCE: an authorization of Pix Automático. COMPOSITE: a charge and a recurrence, of which the charge is shown',
    }),
    receiver: partySchema,
    txid: z.string().nullable(),
    value: z
      .object({
        original: reaisOutput,
        due_now: reaisOutput.meta({ description: 'Reais to be paid on `pay_on`, or today' }),
        fine: reaisOutput,
        interest: reaisOutput,
        discount: reaisOutput,
        abatement: reaisOutput,
        open: z.boolean().meta({ description: 'The payer chooses the value; `due_now` may propose one' }),
      })
      .meta({ id: 'CodeValue' }),
    status: z.enum(CODE_STATUSES).meta({
      description:
        'What the receiver’s bank says of it at this moment. A static code is PAYABLE: its key is looked up when it is paid',
    }),
    expires_at: instantSchema.nullable().meta({
      description: 'Of a charge with a due date: the end of its last day, weekends counted and holidays not',
    }),
    signature: z.enum(CODE_SIGNATURES).meta({
      description:
        'VERIFIED: the certificate that signed the charge is of the trust store of this installation. UNVERIFIED: its chain was not checked, or the code is static',
    }),
    own_charge_uuid: uuidSchema
      .optional()
      .meta({ description: 'The charge of this account that has the code' }),
    created_at: instantSchema,
  })
  .meta({ id: 'CodeReading' })

/** Presents what was read of a code. */
export function showCodeReading(row: StoredCodeReading): z.output<typeof codeReadingSchema> {
  return {
    uuid: row.uuid,
    kind: row.kind,
    receiver: row.receiver,
    txid: row.txid ?? null,
    value: {
      original: row.originalCents,
      due_now: row.dueNowCents,
      fine: row.fineCents,
      interest: row.interestCents,
      discount: row.discountCents,
      abatement: row.abatementCents,
      open: row.isOpen,
    },
    status: row.status,
    expires_at: row.expiresAt ?? null,
    signature: row.signature,
    ...(row.ownChargeUuid && { own_charge_uuid: row.ownChargeUuid }),
    created_at: row.createdAt,
  }
}
