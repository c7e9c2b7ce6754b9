import { z } from 'zod'
import { centsFromSumText, centsFromText, textFromCents } from '../../domain/ledger/money.ts'
import { optionalField, optionalInstant, optionalText, requiredInstant } from '../adapter/fields.ts'

// Schemas of what Efí sends are lenient: they name the fields in use and allow any others, and a field that no outcome
// depends on counts as absent where it has another type. Those of our requests are strict.

/** The amount of one PIX or charge: above zero, because nothing else is money. */
const centsSchema = createReaisSchema(centsFromText).refine(cents => cents > 0, 'no amount above zero')
/** An amount that is the sum of many, so it may exceed the limit of one PIX, and a balance may be negative. */
export const efiSumSchema = createReaisSchema(centsFromSumText)

export type EfiTimes = { solicitacao?: string | null | undefined; liquidacao?: string | null | undefined }
/**
 * The times of a PIX: an object, or one text of the settlement, as in Efí's notifications and the official SDK. Efí shows
 * null for a PIX that it did not carry out.
 */
const timesSchema = z
  .union([
    requiredInstant.transform((liquidacao): EfiTimes => ({ liquidacao })),
    z.object({ solicitacao: optionalInstant, liquidacao: optionalInstant }),
  ])
  .nullish()
  .catch(null)
  .transform((times): EfiTimes => times ?? {})
const railErrorSchema = z.object({ codigo: optionalText, motivo: optionalText })

const holderSchema = z.object({
  nome: optionalText,
  cpf: optionalText,
  cnpj: optionalText,
  codigoBanco: optionalText,
})
export type EfiHolder = z.infer<typeof holderSchema>

const returnStatusSchema = z.enum(['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO'])

const extrasSchema = optionalField(z.object({ erro: optionalField(railErrorSchema) }))

/** A devolução of a received PIX, ordered by us or made by Efí after a dispute. */
export const efiDevolucaoSchema = z.object({
  id: optionalText,
  rtrId: optionalText,
  valor: centsSchema,
  status: returnStatusSchema,
  horario: timesSchema,
  motivo: optionalText,
  natureza: optionalText,
  gnExtras: extrasSchema,
})
export type EfiDevolucao = z.infer<typeof efiDevolucaoSchema>

/** A devolução in the list of its PIX. A settled one needs an id and a time, or it could be counted twice or never. */
export const efiListedDevolucaoSchema = efiDevolucaoSchema.refine(isIdentified, 'no id or time')

/**
 * A devolução by the recipient of a sent PIX. The documentation shows it like any other; the official SDK with the
 * rail's id, the amount and one time, for those that have settled.
 */
export const efiReceivedDevolucaoSchema = z
  .object({
    id: optionalText,
    rtrId: optionalText,
    valor: centsSchema,
    status: returnStatusSchema.nullish().transform(status => status ?? 'DEVOLVIDO'),
    horario: timesSchema,
    natureza: optionalText,
  })
  .refine(({ id, rtrId }) => id || rtrId, 'A devolução without an id could be counted twice')
  .refine(isIdentified, 'no id or time')
export type EfiReceivedDevolucao = z.infer<typeof efiReceivedDevolucaoSchema>

type IdentifiedFields = { id?: unknown; rtrId?: unknown; status: string; horario: EfiTimes }

function isIdentified({ id, rtrId, status, horario }: IdentifiedFields): boolean {
  return status !== 'DEVOLVIDO' || Boolean((id || rtrId) && (horario.liquidacao ?? horario.solicitacao))
}

/**
 * Tells whether a devolução says that the provider made it after a dispute: MED_FRAUDE, MED_OPERACIONAL,
 * MED_PIX_AUTOMATICO. Without `natureza`, which no document of Efí shows, it may be one all the same.
 */
export function isDisputeDevolucao({ natureza }: Pick<EfiDevolucao, 'natureza'>): boolean {
  return natureza?.startsWith('MED_') ?? false
}

export const efiReceivedPixSchema = z.object({
  endToEndId: z.string().min(1),
  txid: optionalText,
  valor: centsSchema,
  chave: optionalText,
  horario: requiredInstant,
  pagador: optionalField(holderSchema),
  gnExtras: optionalField(z.object({ pagador: optionalField(holderSchema) })),
  /** Parsed item by item (`efiListedDevolucaoSchema`), so that an unreadable one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type EfiReceivedPix = z.infer<typeof efiReceivedPixSchema>

/**
 * What a notification reports of a PIX and no look-up does: the payer, if the account's configuration enables it
 * (`notificacao.pagador`), and the cause of a rejection.
 */
export const efiNotifiedDetailsSchema = z.object({
  pagador: optionalField(holderSchema),
  motivo: optionalText,
  gnExtras: optionalField(
    z.object({ pagador: optionalField(holderSchema), erro: optionalField(railErrorSchema) }),
  ),
})

const sentStatusSchema = z.enum(['EM_PROCESSAMENTO', 'REALIZADO', 'NAO_REALIZADO'])

/** A sent PIX. One that was not carried out may have neither an end-to-end id nor a time. */
export const efiSentPixSchema = z.object({
  endToEndId: optionalText,
  idEnvio: optionalText,
  valor: centsSchema,
  status: sentStatusSchema,
  horario: timesSchema,
  /** Parsed item by item (`efiReceivedDevolucaoSchema`), so that an unreadable one does not hide the PIX. */
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
  gnExtras: extrasSchema,
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
    gnExtras: extrasSchema,
  })
  .transform(({ e2eId, endToEndId, ...rest }): EfiTransfer => ({ endToEndId: e2eId || endToEndId, ...rest }))

/** A charge. `expiracao` is a number or a text. The official SDK makes the payload optional in look-ups and lists. */
export const efiCobSchema = z.object({
  txid: z.string(),
  status: z.enum(['ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVIDA_PELO_PSP']),
  calendario: z.object({ criacao: requiredInstant, expiracao: z.coerce.number().int().positive() }),
  valor: z.object({ original: centsSchema }),
  chave: optionalText,
  pixCopiaECola: optionalText,
  loc: optionalField(z.object({ id: z.int().positive() })),
  recebedor: optionalField(holderSchema),
  /** Parsed item by item (`efiReceivedPixSchema`). */
  pix: z.unknown().optional(),
})
export type EfiCob = z.infer<typeof efiCobSchema>

/** The code of a location ("Gerar QR Code de um location"). */
export const efiLocationCodeSchema = z.object({ qrcode: z.string().min(1) })

/** Tells whether an unreadable PIX provably moved no money: its amount is zero. */
export function isWithoutMoney(pix: unknown): boolean {
  return zeroPixSchema.safeParse(pix).success
}
const zeroPixSchema = z.object({ valor: createReaisSchema(centsFromText).refine(cents => cents === 0) })

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
  justificativa: z.string().min(1).max(1_000),
})
/** A devolução. `descricao` is the Central Bank's field (pix-api 2.9.0, DevolucaoSolicitada); Efí's page shows `valor` alone. */
export const efiDevolucaoRequestSchema = z.strictObject({
  valor: amountSchema,
  descricao: z.string().max(140).optional(),
})
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
