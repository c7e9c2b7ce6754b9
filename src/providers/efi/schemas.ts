import { z } from 'zod'
import { optionalField, optionalInstant, optionalText, requiredInstant } from '../adapter/fields.ts'
import {
  amountSchema,
  centsSchema,
  holderSchema,
  railErrorExtrasSchema,
  timesSchema,
} from '../bacen/schemas.ts'

// Schemas of what Efí sends beyond the Central Bank's API are lenient too; those of our requests are strict.

const sentStatusSchema = z.enum(['EM_PROCESSAMENTO', 'REALIZADO', 'NAO_REALIZADO'])

/** A sent PIX. One that was not carried out may have neither an end-to-end id nor a time. */
export const efiSentPixSchema = z.object({
  endToEndId: optionalText,
  idEnvio: optionalText,
  valor: centsSchema,
  status: sentStatusSchema,
  horario: timesSchema,
  /** Parsed item by item (`bacenReceivedDevolucaoSchema`), so that an unreadable one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type EfiSentPix = z.infer<typeof efiSentPixSchema>

/** A sent PIX in a list: one that has moved money is identified by its end-to-end id, and listed by its time. */
export const efiListedSentPixSchema = efiSentPixSchema.refine(
  ({ status, endToEndId, horario }) =>
    status !== 'REALIZADO' || Boolean(endToEndId && (horario.liquidacao ?? horario.solicitacao)),
  'no id or time',
)

/** A sent PIX as a look-up returns it. `favorecido` has the key's owner in one field or the account's in another. */
export const efiTransferSchema = efiSentPixSchema.extend({
  favorecido: optionalField(
    z.object({ identificacao: optionalField(holderSchema), contaBanco: optionalField(holderSchema) }),
  ),
  gnExtras: railErrorExtrasSchema,
})
export type EfiTransfer = z.infer<typeof efiTransferSchema>

/** The answer to sending a PIX. Its end-to-end id is `e2eId` in the documentation, `endToEndId` in the official SDK. */
export const efiTransferResponseSchema = z
  .object({
    idEnvio: z.string(),
    e2eId: optionalText,
    endToEndId: optionalText,
    valor: centsSchema,
    status: sentStatusSchema,
    horario: timesSchema,
    gnExtras: railErrorExtrasSchema,
  })
  .transform(({ e2eId, endToEndId, ...rest }): EfiTransfer => ({ endToEndId: e2eId || endToEndId, ...rest }))

export const efiInfractionSchema = z.object({
  idInfracao: z.string().min(1),
  endToEndId: z.string().min(1),
  valor: centsSchema,
  status: z.enum(['ABERTA', 'EM_DEFESA', 'ACEITA', 'REJEITADA', 'CANCELADA_EFI']),
  razao: optionalText,
  tipoSituacao: optionalText,
  tipoFraude: optionalText,
  comentario: optionalText,
  justificativaAnalista: optionalText,
  dadosAnalise: z.object({ abertura: requiredInstant, prazoFinalizacao: optionalInstant }),
})
export type EfiInfraction = z.infer<typeof efiInfractionSchema>
export const efiKeyResponseSchema = z.object({ chave: z.string().min(1) })
export const efiRandomKeysSchema = z.object({ chaves: z.array(z.string().min(1)) })

const ownerFields = { cpf: z.string().length(11).optional(), cnpj: z.string().length(14).optional() }
/** "Pagar QR Code Pix": the value is that of the code. */
export const efiCodePaymentSchema = z.strictObject({
  pagador: z.strictObject({ chave: z.string().min(1).max(77), infoPagador: z.string().max(140).optional() }),
  pixCopiaECola: z.string().min(1).max(512),
})
export const efiTransferRequestSchema = z.strictObject({
  valor: amountSchema,
  pagador: z.strictObject({
    chave: z.string().min(1).max(77),
    infoPagador: z.string().max(140).optional(),
  }),
  favorecido: z.union([
    z.strictObject({ chave: z.string().min(1).max(77), ...ownerFields }),
    z.strictObject({
      contaBanco: z.strictObject({
        nome: z.string().min(1),
        ...ownerFields,
        codigoBanco: z.string().length(8),
        agencia: z.string().min(1),
        conta: z.string().min(1),
        tipoConta: z.enum(['cacc', 'svgs']),
      }),
    }),
  ]),
})
/** The reply to a dispute, which can only be a defence (official SDK 2.0.1, `MedSubmitDefenseBodySchema`). */
export const efiDefenceRequestSchema = z.strictObject({
  analise: z.literal('rejeitado'),
  justificativa: z.string().min(1).max(1_000),
})
