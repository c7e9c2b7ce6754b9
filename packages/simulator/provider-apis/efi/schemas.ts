import { z } from 'zod'
import type { SimulatedResponse } from '../../provider-calls.ts'
import { bacenDueChargeBody } from '../bacen/due-schemas.ts'
import type { BacenViolation } from '../bacen/problems.ts'
import {
  bacenAmount as amount,
  bacenCalendar,
  bacenChargeBody,
  bacenChargeChangeBody,
  bacenCnpj as cnpj,
  bacenCpf as cpf,
  bacenKey as key,
  parseBacenRequest,
} from '../bacen/schemas.ts'
import * as errors from './errors.ts'

// Request schemas of Efí's API. A charge with an unknown field is refused.

const flag = z.boolean().optional()

const debtor = z.object({ cpf: cpf.optional(), cnpj: cnpj.optional(), nome: z.string().max(200) }).optional()
export const efiChargeBody = bacenChargeBody
  .extend({ calendario: bacenCalendar.default({ expiracao: 86_400 }), devedor: debtor })
  .strict()
export const efiDueChargeBody = bacenDueChargeBody.strict()
export const efiChargeChangeBody = bacenChargeChangeBody.extend({ devedor: debtor }).strict()

export const locationBody = z.strictObject({ tipoCob: z.enum(['cob', 'cobv']) })

export const efiTransferBody = z.object({
  valor: amount,
  pagador: z.object({ chave: key, infoPagador: z.string().max(140).optional() }),
  favorecido: z.object({
    chave: key.optional(),
    cpf: cpf.optional(),
    cnpj: cnpj.optional(),
    contaBanco: z
      .object({
        nome: z.string().max(140),
        cpf: cpf.optional(),
        cnpj: cnpj.optional(),
        codigoBanco: z.string().regex(/^[0-9A-Z]{8}$/),
        agencia: z.string().regex(/^\d{1,4}$/),
        conta: z.string().regex(/^[a-zA-Z0-9]{1,20}$/),
        tipoConta: z.string().min(1).max(20),
      })
      .optional(),
  }),
})

/** "Pagar QR Code Pix". */
export const efiCodePaymentBody = z.object({
  pagador: z.object({ chave: key, infoPagador: z.string().max(140).optional() }),
  pixCopiaECola: z.string().min(1),
})

export const defenceBody = z.strictObject({
  analise: z.literal('rejeitado'),
  justificativa: z.string().min(1).max(1_000),
})

/** Configuration of one key, as in the official SDK 2.0.1 (`UpdateAccountConfigBodySchema`). */
const configurationOfKey = z.strictObject({
  recebimento: z.strictObject({
    txidObrigatorio: z.boolean(),
    recusarTipoPessoa: z.enum(['PF', 'PJ']).optional(),
    qrCodeEstatico: z.strictObject({ recusarTodos: z.boolean() }),
    documentoPagadorIgualDevedor: z.boolean().optional(),
    webhook: z
      .strictObject({
        notificacao: z.strictObject({ tarifa: z.boolean(), pagador: z.boolean() }).optional(),
        notificar: z.strictObject({ pixSemTxid: z.boolean() }).optional(),
      })
      .optional(),
  }),
  envio: z
    .strictObject({
      webhook: z.strictObject({
        notificacao: z.strictObject({ tarifa: z.boolean(), favorecido: z.boolean() }),
      }),
    })
    .optional(),
})
export const configurationBody = z.strictObject({
  pix: z.strictObject({
    receberSemChave: z.boolean(),
    chaves: z.record(z.string(), configurationOfKey).optional(),
  }),
})

/** Kinds of records of a report, as in the official SDK 2.0.1 (`CreateReportBodySchema`). */
const reportRecords = z.strictObject({
  pixRecebido: flag,
  pixEnviadoChave: flag,
  pixEnviadoDadosBancarios: flag,
  estornoPixEnviado: flag,
  pixDevolucaoEnviada: flag,
  pixDevolucaoRecebida: flag,
  saldoDiaAnterior: flag,
  saldoDia: flag,
  tarifaPixEnviado: flag,
  tarifaPixRecebido: flag,
  estornoTarifaPixEnviado: flag,
  transferenciaEnviada: flag,
  transferenciaRecebida: flag,
  estornoTransferenciaEnviada: flag,
  tarifaTransferenciaEnviada: flag,
  estornoTarifaTransferenciaEnviada: flag,
  estornoTarifaPixRecebido: flag,
})
export type ReportRecords = z.infer<typeof reportRecords>
const reportBody = z.strictObject({
  dataMovimento: z.iso.date(),
  tipoRegistros: reportRecords,
  dadosAdicionais: z
    .strictObject({
      pixRecebido: z.array(z.literal('nome')),
      pixEnviadoChave: z
        .array(z.enum(['nome', 'documento']))
        .min(1)
        .max(2),
    })
    .optional(),
})

/** A resend of notifications, as in the official SDK 2.0.1 (`PixResendWebhookBodySchema`). */
const resendBody = z.strictObject({
  tipo: z.enum(['PIX_RECEBIDO', 'PIX_ENVIADO', 'DEVOLUCAO_RECEBIDA', 'DEVOLUCAO_ENVIADA']),
  e2eids: z.array(z.string()).min(1).max(1_000),
})
export type ResendOrder = z.infer<typeof resendBody>

/** Parses a body by its schema, or builds a problem (RFC 7807) that names each invalid field. */
function parseOrProblem<T extends z.ZodType>(
  schema: T,
  body: unknown,
  problem: (violations: BacenViolation[]) => SimulatedResponse,
): { value: z.infer<T> } | { refusal: SimulatedResponse } {
  const result = schema.safeParse(body)
  if (result.success) return { value: result.data }
  const violations = result.error.issues.map(issue => ({
    razao: issue.message,
    propriedade: ['.body', ...issue.path].join('.'),
  }))
  return { refusal: problem(violations) }
}
export const parseReportBody = (body: unknown) => parseOrProblem(reportBody, body, errors.reportQueryInvalid)
export const parseResendBody = (body: unknown) => parseOrProblem(resendBody, body, errors.resendInvalid)

/** Parses a body by its schema, or builds Efí's refusal of it. */
export function parseEfiBody<T extends z.ZodType>(
  schema: T,
  body: unknown,
): { value: z.infer<T> } | { refusal: SimulatedResponse } {
  return parseBacenRequest(schema, body, { refusals: errors.efiRefusals, subject: 'pix' })
}
