import { z } from 'zod'
import { centsFromText } from '../../amount.ts'
import type { SimulatedResponse } from '../../provider-calls.ts'
import type { BacenFieldRefusals, BacenSubject } from './refusals.ts'

// Request schemas of the Central Bank's API (pix-api 2.9.0); a bank's profile may be stricter.

/** Parses an amount in the Central Bank's format (`"12.34"`) to centavos. */
export const bacenAmount = z.string().transform((text, ctx) => {
  const cents = centsFromText(text)
  if (cents !== null) return cents
  ctx.addIssue({ code: 'custom', message: 'deve corresponder ao padrão \\d{1,10}\\.\\d{2}' })
  return z.NEVER
})
export const bacenKey = z.string().min(1).max(77)
export const bacenCpf = z.string().regex(/^\d{11}$/)
export const bacenCnpj = z.string().regex(/^[0-9A-Z]{12}\d{2}$/)
const expiration = z.number().int().min(1).max(2_147_483_647)
export const bacenCalendar = z.object({ expiracao: expiration.default(86_400) })
const name = z.string().max(200)
const debtor = z.union([
  z.strictObject({ cpf: bacenCpf, nome: name }),
  z.strictObject({ cnpj: bacenCnpj, nome: name }),
])

/** Fields of a charge that are stored and shown unchanged. */
const details = {
  devedor: debtor.optional(),
  solicitacaoPagador: z.string().max(140).optional(),
  infoAdicionais: z
    .array(z.object({ nome: z.string().max(50), valor: z.string().max(200) }))
    .max(50)
    .optional(),
}
const locationReference = z.object({ id: z.number().int() }).optional()

export const bacenChargeBody = z.object({
  calendario: bacenCalendar,
  valor: z.object({ original: bacenAmount }),
  chave: bacenKey,
  loc: locationReference,
  ...details,
})
export const bacenChargeChangeBody = z.object({
  status: z.literal('REMOVIDA_PELO_USUARIO_RECEBEDOR').optional(),
  calendario: z.object({ expiracao: expiration }).optional(),
  valor: z.object({ original: bacenAmount }).optional(),
  loc: locationReference,
  ...details,
})

export const bacenRefundBody = z.object({
  valor: bacenAmount,
  natureza: z.enum(['ORIGINAL', 'RETIRADA']).optional(),
  descricao: z.string().max(140).optional(),
})

export const bacenWebhookBody = z.object({ webhookUrl: z.string().min(1).max(1000) })

const page = {
  'paginacao.paginaAtual': z.coerce.number().int().min(0).default(0),
  'paginacao.itensPorPagina': z.coerce.number().int().min(1).max(1000).default(100),
}
const time = z.iso.datetime({ offset: true })
export const bacenPageQuery = z.object({ inicio: time, fim: time, ...page })
/** A page of a list that may be requested without a range. */
export const bacenOpenPageQuery = bacenPageQuery.partial({ inicio: true, fim: true })

/** Parses a part of a request by its schema, or builds the bank's refusal of it. */
export function parseBacenRequest<T extends z.ZodType>(
  schema: T,
  value: unknown,
  {
    refusals,
    subject,
    place = 'body',
  }: { refusals: BacenFieldRefusals; subject: BacenSubject; place?: 'body' | 'query' },
): { value: z.infer<T> } | { refusal: SimulatedResponse } {
  const result = schema.safeParse(value)
  if (result.success) return { value: result.data }
  const issues = result.error.issues.map(({ path, message }) => ({ place, path: path.map(String), message }))
  return { refusal: refusals.invalidFields(subject, issues) }
}
