import { z } from 'zod'
import { optionalField, optionalText } from '../adapter/fields.ts'
import { shownMembersSchema } from './due-modalities.ts'
import {
  amountSchema,
  bacenChargeFields,
  centsSchema,
  holderSchema,
  hundredthsTextPattern,
  requestDebtorSchemas,
  requestInfoSchema,
} from './schemas.ts'

/** A charge with a due date. Each member of `valor` is read apart: one that no document has leaves the charge readable. */
export const bacenCobvSchema = z.object({
  ...bacenChargeFields,
  calendario: z.object({
    dataDeVencimento: z.iso.date(),
    validadeAposVencimento: z.coerce.number().int().min(0),
  }),
  valor: z.object({ original: centsSchema, ...shownMembersSchema.shape }),
  devedor: optionalField(holderSchema),
  /** How often the charge was changed. */
  revisao: optionalField(z.coerce.number().int().min(0)),
  solicitacaoPagador: optionalText,
})
export type BacenCobv = z.infer<typeof bacenCobvSchema>

const memberSchema = z.strictObject({ modalidade: z.int().min(1), valorPerc: hundredthsTextPattern })
const daysOfDiscountSchema = z.strictObject({
  modalidade: z.int().min(1),
  descontoDataFixa: z
    .array(z.strictObject({ data: z.iso.date(), valorPerc: hundredthsTextPattern }))
    .min(1)
    .max(3),
})
const calendarSchema = z.strictObject({
  dataDeVencimento: z.iso.date(),
  validadeAposVencimento: z.int().min(0),
})
const valueSchema = z.strictObject({
  original: amountSchema,
  multa: memberSchema.optional(),
  juros: memberSchema.optional(),
  abatimento: memberSchema.optional(),
  desconto: z.union([memberSchema, daysOfDiscountSchema]).optional(),
})
const messageSchema = z.string().max(140).optional()
const address = {
  logradouro: z.string().min(1).max(200).optional(),
  cidade: z.string().min(1).max(200).optional(),
  uf: z.string().length(2).optional(),
  cep: z
    .string()
    .regex(/^\d{8}$/)
    .optional(),
}
const [person, company] = requestDebtorSchemas

export const bacenCobvRequestSchema = z.strictObject({
  calendario: calendarSchema,
  devedor: z.union([person.extend(address), company.extend(address)]),
  valor: valueSchema,
  chave: z.string().min(1).max(77),
  solicitacaoPagador: messageSchema,
  infoAdicionais: requestInfoSchema,
})

export const bacenCobvRevisionSchema = z.strictObject({
  calendario: calendarSchema.optional(),
  valor: valueSchema.optional(),
  solicitacaoPagador: messageSchema,
})
