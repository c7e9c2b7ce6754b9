import { z } from 'zod'
import { MAX_REPLY_TEXT_LENGTHS } from '../../domain/disputes/reply-text.ts'
import { centsFromSumText, centsFromText, textFromCents } from '../../domain/ledger/money.ts'

// Schemas of what Efí sends are lenient: they name the fields in use and allow any others. Those of our requests are strict.

const centsSchema = createReaisSchema(centsFromText)
/** An amount that is the sum of many, so it may exceed the limit of one PIX, and a balance may be negative. */
export const efiSumSchema = createReaisSchema(centsFromSumText)
/** Parses RFC 3339 with any offset to ISO 8601 UTC. */
const instantSchema = z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString())

const timesSchema = z.object({ solicitacao: instantSchema.nullish(), liquidacao: instantSchema.nullish() })
export type EfiTimes = z.infer<typeof timesSchema>
const railErrorSchema = z.object({ codigo: z.string().nullish(), motivo: z.string().nullish() })

const holderSchema = z.object({
  nome: z.string().nullish(),
  cpf: z.string().nullish(),
  cnpj: z.string().nullish(),
  codigoBanco: z.string().nullish(),
})
export type EfiHolder = z.infer<typeof holderSchema>

const returnStatusSchema = z.enum(['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO'])

/** A devolução of a received PIX, ordered by us or made by Efí after a dispute. */
export const efiDevolucaoSchema = z.object({
  id: z.string().nullish(),
  rtrId: z.string().nullish(),
  valor: centsSchema,
  status: returnStatusSchema,
  horario: timesSchema,
  motivo: z.string().nullish(),
  natureza: z.string().nullish(),
  gnExtras: z.object({ erro: railErrorSchema.nullish() }).nullish().catch(null),
})
export type EfiDevolucao = z.infer<typeof efiDevolucaoSchema>

/**
 * A devolução by the recipient of a sent PIX. The documentation shows it like any other; the official SDK with the
 * rail's id, the amount and one time, for those that have settled.
 */
export const efiReceivedDevolucaoSchema = z
  .object({
    id: z.string().nullish(),
    rtrId: z.string().nullish(),
    valor: centsSchema,
    status: returnStatusSchema.default('DEVOLVIDO'),
    horario: z.union([instantSchema.transform((liquidacao): EfiTimes => ({ liquidacao })), timesSchema]),
    natureza: z.string().nullish(),
  })
  .refine(({ id, rtrId }) => id || rtrId, 'A devolução without an id could be counted twice')
export type EfiReceivedDevolucao = z.infer<typeof efiReceivedDevolucaoSchema>

/** Tells whether the provider made a devolução after a dispute: MED_FRAUDE, MED_OPERACIONAL, MED_PIX_AUTOMATICO. */
export function isDisputeDevolucao({ natureza }: Pick<EfiDevolucao, 'natureza'>): boolean {
  return natureza?.startsWith('MED_') ?? false
}

export const efiReceivedPixSchema = z.object({
  endToEndId: z.string().min(1),
  txid: z.string().nullish(),
  valor: centsSchema,
  chave: z.string().nullish(),
  horario: instantSchema,
  pagador: holderSchema.nullish().catch(null),
  gnExtras: z.object({ pagador: holderSchema.nullish() }).nullish().catch(null),
  /** Parsed item by item (`efiDevolucaoSchema`), so that an unreadable one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type EfiReceivedPix = z.infer<typeof efiReceivedPixSchema>

const sentStatusSchema = z.enum(['EM_PROCESSAMENTO', 'REALIZADO', 'NAO_REALIZADO'])

export const efiSentPixSchema = z.object({
  endToEndId: z.string().min(1),
  idEnvio: z.string().nullish(),
  valor: centsSchema,
  status: sentStatusSchema,
  horario: timesSchema,
  /** Parsed item by item (`efiReceivedDevolucaoSchema`), so that an unreadable one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type EfiSentPix = z.infer<typeof efiSentPixSchema>

const sentExtrasSchema = z.object({ erro: railErrorSchema.nullish() }).nullish().catch(null)

/** A sent PIX as a look-up returns it. `favorecido` has the key's owner in one field or the account's in another. */
export const efiTransferSchema = efiSentPixSchema.extend({
  favorecido: z
    .object({ identificacao: holderSchema.nullish(), contaBanco: holderSchema.nullish() })
    .nullish()
    .catch(null),
  gnExtras: sentExtrasSchema,
})
export type EfiTransfer = z.infer<typeof efiTransferSchema>

/** The answer to sending a PIX. Its end-to-end id is `e2eId` in the documentation, `endToEndId` in the official SDK. */
export const efiTransferResponseSchema = z
  .object({
    idEnvio: z.string(),
    e2eId: z.string().min(1).nullish(),
    endToEndId: z.string().min(1).nullish(),
    valor: centsSchema,
    status: sentStatusSchema,
    horario: timesSchema.default({}),
    gnExtras: sentExtrasSchema,
  })
  .transform(
    ({ e2eId, endToEndId, ...rest }): EfiTransfer => ({ endToEndId: e2eId ?? endToEndId ?? '', ...rest }),
  )
  .refine(({ endToEndId }) => endToEndId !== '')

/** A charge. `expiracao` is a number or a text; only an active charge needs a payload. */
export const efiCobSchema = z
  .object({
    txid: z.string(),
    status: z.enum(['ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVIDA_PELO_PSP']),
    calendario: z.object({ criacao: instantSchema, expiracao: z.coerce.number().int().positive() }),
    valor: z.object({ original: centsSchema }),
    chave: z.string().nullish(),
    pixCopiaECola: z.string().nullish(),
    recebedor: holderSchema.nullish().catch(null),
    /** Parsed item by item (`efiReceivedPixSchema`). */
    pix: z.unknown().optional(),
  })
  .refine(({ status, pixCopiaECola }) => status !== 'ATIVA' || Boolean(pixCopiaECola))
export type EfiCob = z.infer<typeof efiCobSchema>

export const efiInfractionSchema = z.object({
  idInfracao: z.string().min(1),
  endToEndId: z.string().min(1),
  valor: centsSchema,
  status: z.enum(['ABERTA', 'EM_DEFESA', 'ACEITA', 'REJEITADA', 'CANCELADA_EFI']),
  razao: z.string().nullish(),
  tipoSituacao: z.string().nullish(),
  tipoFraude: z.string().nullish(),
  comentario: z.string().nullish(),
  justificativaAnalista: z.string().nullish(),
  dadosAnalise: z.object({ abertura: instantSchema, prazoFinalizacao: instantSchema.nullish() }),
})
export type EfiInfraction = z.infer<typeof efiInfractionSchema>
export const efiKeyResponseSchema = z.object({ chave: z.string().min(1) })
export const efiRandomKeysSchema = z.object({ chaves: z.array(z.string().min(1)) })

const amountSchema = z
  .int()
  .positive()
  .transform(textFromCents)
  .pipe(z.string().regex(/^\d{1,10}\.\d{2}$/))

export const efiCobRequestSchema = z.strictObject({
  calendario: z.strictObject({ expiracao: z.int().positive() }),
  valor: z.strictObject({ original: amountSchema }),
  chave: z.string().min(1).max(77),
  solicitacaoPagador: z.string().max(140).optional(),
})
export const efiTransferRequestSchema = z.strictObject({
  valor: amountSchema,
  pagador: z.strictObject({
    chave: z.string().min(1).max(77),
    infoPagador: z.string().max(140).optional(),
  }),
  favorecido: z.strictObject({
    chave: z.string().min(1).max(77),
    cpf: z.string().length(11).optional(),
    cnpj: z.string().length(14).optional(),
  }),
})
/** The reply to a dispute, which can only be a defence (official SDK 2.0.1, `MedSubmitDefenseBodySchema`). */
export const efiDefenceRequestSchema = z.strictObject({
  analise: z.literal('rejeitado'),
  justificativa: z.string().min(1).max(MAX_REPLY_TEXT_LENGTHS.efi),
})
export const efiDevolucaoRequestSchema = z.strictObject({ valor: amountSchema })
export const EFI_REMOVAL_REQUEST = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }

/** Creates a schema from reais, as a text or number with at most two decimals, to exact centavos. */
function createReaisSchema(read: (text: string) => number | null) {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const cents = read(padToTwoDecimals(String(value)))
    if (cents !== null) return cents
    context.issues.push({ code: 'custom', message: 'no amount', input: value })
    return z.NEVER
  })
}

function padToTwoDecimals(text: string): string {
  if (/^-?\d+$/.test(text)) return `${text}.00`
  return /^-?\d+\.\d$/.test(text) ? `${text}0` : text
}
