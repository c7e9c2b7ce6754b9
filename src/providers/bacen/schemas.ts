import { z } from 'zod'
import { centsFromSumText, centsFromText, textFromCents } from '../../domain/ledger/money.ts'
import { isDisputeNature } from '../../domain/pix/return-nature.ts'
import { optionalField, optionalInstant, optionalText, requiredInstant } from '../adapter/fields.ts'

// Schemas of what a provider sends are lenient: they name the fields in use and allow any others, and a field that no outcome
// depends on counts as absent where it has another type. Those of our requests are strict.

/** The amount of one PIX or charge: above zero, because nothing else is money. */
export const centsSchema = createReaisSchema(centsFromText).refine(cents => cents > 0, 'no amount above zero')
/** Hundredths, of a real or a percent, of a provider: a text or number with at most two decimals. */
export const hundredthsSchema = createReaisSchema(centsFromText).refine(hundredths => hundredths >= 0)
/** An amount that is the sum of many, so it may exceed the limit of one PIX, and a balance may be negative. */
export const bacenSumSchema = createReaisSchema(centsFromSumText)
/** The blocked part of a balance: zero where it is absent. */
export const bacenBlockedSchema = bacenSumSchema
  .refine(cents => cents >= 0)
  .nullish()
  .transform(cents => cents ?? 0)

export type BacenTimes = { solicitacao?: string | null | undefined; liquidacao?: string | null | undefined }
/**
 * The times of a PIX: an object, or one text of the settlement, as in Efí's notifications and the official SDK. Efí shows
 * null for a PIX that it did not carry out.
 */
export const timesSchema = z
  .union([
    requiredInstant.transform((liquidacao): BacenTimes => ({ liquidacao })),
    z.object({ solicitacao: optionalInstant, liquidacao: optionalInstant }),
  ])
  .nullish()
  .catch(null)
  .transform((times): BacenTimes => times ?? {})
const railErrorSchema = z.object({ codigo: optionalText, motivo: optionalText })

export const holderSchema = z.object({
  nome: optionalText,
  cpf: optionalText,
  cnpj: optionalText,
  codigoBanco: optionalText,
})
export type BacenHolder = z.infer<typeof holderSchema>

const returnStatusSchema = z.enum(['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO'])

/** The rail's error in the additional fields of Efí. */
export const railErrorExtrasSchema = optionalField(z.object({ erro: optionalField(railErrorSchema) }))

/** A devolução of a received PIX, ordered by us or made by Efí after a dispute. */
export const bacenDevolucaoSchema = z.object({
  id: optionalText,
  rtrId: optionalText,
  valor: centsSchema,
  status: returnStatusSchema,
  horario: timesSchema,
  motivo: optionalText,
  natureza: optionalText,
  gnExtras: railErrorExtrasSchema,
})
export type BacenDevolucao = z.infer<typeof bacenDevolucaoSchema>

/** A devolução in the list of its PIX. A settled one needs an id and a time, or it could be counted twice or never. */
export const bacenListedDevolucaoSchema = bacenDevolucaoSchema.refine(isIdentified, 'no id or time')

/**
 * A devolução by the recipient of a sent PIX. The documentation shows it like any other; the official SDK with the
 * rail's id, the amount and one time, for those that have settled.
 */
export const bacenReceivedDevolucaoSchema = z
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
export type BacenReceivedDevolucao = z.infer<typeof bacenReceivedDevolucaoSchema>

type IdentifiedFields = { id?: unknown; rtrId?: unknown; status: string; horario: BacenTimes }

function isIdentified({ id, rtrId, status, horario }: IdentifiedFields): boolean {
  return status !== 'DEVOLVIDO' || Boolean((id || rtrId) && (horario.liquidacao ?? horario.solicitacao))
}

/**
 * Tells whether a devolução says that the provider made it after a dispute, by its nature. Without `natureza`, which no document of Efí shows, it may be one all the same.
 */
export function isDisputeDevolucao({ natureza }: Pick<BacenDevolucao, 'natureza'>): boolean {
  return isDisputeNature(natureza)
}

const componentSchema = optionalField(z.object({ valor: hundredthsSchema }))
/** The parts of the value of a PIX (pix-api, Pix.componentesValor); that of a withdrawal has others. */
const valueComponentsSchema = z.object({
  original: z.object({ valor: hundredthsSchema }),
  multa: componentSchema,
  juros: componentSchema,
  desconto: componentSchema,
  abatimento: componentSchema,
})

export const bacenReceivedPixSchema = z.object({
  endToEndId: z.string().min(1),
  txid: optionalText,
  valor: centsSchema,
  chave: optionalText,
  horario: requiredInstant,
  pagador: optionalField(holderSchema),
  gnExtras: optionalField(z.object({ pagador: optionalField(holderSchema) })),
  componentesValor: optionalField(valueComponentsSchema),
  /** Parsed item by item (`bacenListedDevolucaoSchema`), so that an unreadable one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type BacenReceivedPix = z.infer<typeof bacenReceivedPixSchema>

/**
 * What a notification reports of a PIX and no look-up does: the payer, if the account's configuration enables it
 * (`notificacao.pagador`), and the cause of a rejection.
 */
export const bacenNotifiedDetailsSchema = z.object({
  pagador: optionalField(holderSchema),
  motivo: optionalText,
  gnExtras: optionalField(
    z.object({ pagador: optionalField(holderSchema), erro: optionalField(railErrorSchema) }),
  ),
})

const payableStatusSchema = z.enum([
  'ATIVA',
  'CONCLUIDA',
  'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  'REMOVIDA_PELO_PSP',
])
export type BacenPayableStatus = z.infer<typeof payableStatusSchema>

/** What every charge has that a payer pays by its code. The official SDK makes the payload optional in look-ups and lists. */
export const bacenChargeFields = {
  txid: z.string(),
  status: payableStatusSchema,
  chave: optionalText,
  pixCopiaECola: optionalText,
  /** Sicoob's name of the payload. */
  brcode: optionalText,
  loc: optionalField(z.object({ id: z.int().positive() })),
  recebedor: optionalField(holderSchema),
  /** Parsed item by item (`bacenReceivedPixSchema`). */
  pix: z.unknown().optional(),
}

/** A charge that is to be paid at once. `expiracao` is a number or a text. */
export const bacenCobSchema = z.object({
  ...bacenChargeFields,
  calendario: z.object({ criacao: requiredInstant, expiracao: z.coerce.number().int().positive() }),
  valor: z.object({ original: centsSchema }),
})
export type BacenCob = z.infer<typeof bacenCobSchema>

/** The code of a location ("Gerar QR Code de um location"). */
export const bacenLocationCodeSchema = z.object({ qrcode: z.string().min(1) })

/** Tells whether an unreadable PIX provably moved no money: its amount is zero. */
export function isWithoutMoney(pix: unknown): boolean {
  return zeroPixSchema.safeParse(pix).success
}
const zeroPixSchema = z.object({ valor: createReaisSchema(centsFromText).refine(cents => cents === 0) })

export const hundredthsTextPattern = z.string().regex(/^\d{1,10}\.\d{2}$/)
/** Hundredths of a request, sent as a text with two decimals. */
export const hundredthsTextSchema = z.int().min(0).transform(textFromCents).pipe(hundredthsTextPattern)

/** An amount of a request: centavos, sent as reais with two decimals. */
export const amountSchema = z.int().positive().pipe(hundredthsTextSchema)

/** The debtor of a request: a person, or a company. */
export const requestDebtorSchemas = [
  z.strictObject({ cpf: z.string().length(11), nome: z.string().min(1).max(200) }),
  z.strictObject({ cnpj: z.string().length(14), nome: z.string().min(1).max(200) }),
] as const

/** What the payer is shown besides: at most 50 texts. */
export const requestInfoSchema = z
  .array(z.strictObject({ nome: z.string().min(1).max(50), valor: z.string().min(1).max(200) }))
  .max(50)
  .optional()

export const bacenCobRequestSchema = z.strictObject({
  calendario: z.strictObject({ expiracao: z.int().positive() }),
  valor: z.strictObject({ original: amountSchema }),
  chave: z.string().min(1).max(77),
  solicitacaoPagador: z.string().max(140).optional(),
  devedor: z.union(requestDebtorSchemas).optional(),
  infoAdicionais: requestInfoSchema,
})
/** A devolução. `descricao` is the Central Bank's field (pix-api 2.9.0, DevolucaoSolicitada); Efí's page shows `valor` alone. */
export const bacenDevolucaoRequestSchema = z.strictObject({
  valor: amountSchema,
  descricao: z.string().max(140).optional(),
})
export const BACEN_REMOVAL_REQUEST = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }

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
