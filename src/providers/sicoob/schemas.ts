import { z } from 'zod'
import { optionalField, optionalInstant, optionalText } from '../adapter/fields.ts'
import { amountSchema, bacenSumSchema, centsSchema } from '../bacen/schemas.ts'

// Schemas of Sicoob's own APIs: Pagamentos PIX 2.0.24.6 and Conta Corrente 2.1.1.43. Those of our requests are strict.

const endToEndSchema = z.string().regex(/^[a-zA-Z0-9]{32}$/)

export const sicoobInitiationRequestSchema = z.strictObject({ chave: z.string().min(1).max(77) })

/** A payment that was initiated ("PagamentoIniciadoDict"): `proprietario` is the owner of the key. */
export const sicoobInitiatedPaymentSchema = z.object({
  endToEndId: endToEndSchema,
  chave: optionalText,
  proprietario: optionalField(z.object({ identificador: optionalText, nome: optionalText })),
})
export type SicoobInitiatedPayment = z.infer<typeof sicoobInitiatedPaymentSchema>

export const sicoobConfirmationRequestSchema = z.strictObject({
  endToEndId: endToEndSchema,
  /** Reais with a decimal comma, only in this request (`^[0-9]{1,18}([,][0-9]{1,2})?$`). */
  valor: amountSchema.transform(text => text.replace('.', ',')),
  meioIniciacao: z.literal('CHAVE'),
  descricao: z.string().max(140).optional(),
})

/** The state of a payment that Sicoob did not carry out. */
export const NOT_CARRIED_OUT = 'NÃO_REALIZADO'

/** A payment ("RetornoPagamento"); `valor` is a number of reais, and `destino` the receiver. */
export const sicoobPaymentSchema = z.object({
  endToEndId: endToEndSchema,
  estado: z.enum([NOT_CARRIED_OUT, 'EM_PROCESSAMENTO', 'FINALIZADO', 'REJEITADO']),
  valor: centsSchema,
  detalheRejeicao: optionalText,
  horario: optionalInstant,
  destino: optionalField(
    z.object({
      ispb: optionalText,
      cpfCnpj: optionalText,
      nome: optionalText,
      conta: optionalText,
      agencia: optionalText,
    }),
  ),
})
export type SicoobPayment = z.infer<typeof sicoobPaymentSchema>

/** Amounts in reais, as numbers ("Saldo"). */
const balanceSchema = z.object({
  saldo: bacenSumSchema,
  saldoBloqueado: bacenSumSchema.refine(cents => cents >= 0).nullish(),
})
/** A balance: as the operation describes it, or inside `resultado`, as the schema SicoobResposta of the same document has it. */
export const sicoobBalanceSchema = z.union([
  balanceSchema,
  z.object({ resultado: balanceSchema }).transform(({ resultado }) => resultado),
])
