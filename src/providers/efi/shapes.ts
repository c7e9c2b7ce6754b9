import { z } from 'zod'
import { centsFromText, sumFromText, textFromCents } from '../../domain/money.ts'

/** Efí's wire. What comes in is read leniently (only what we need, the rest may be anything); what goes out is strict. */

const cents = reais(centsFromText)
/** Of what adds up many amounts. */
export const sum = reais(sumFromText)
/** RFC 3339 with any offset, to UTC. */
const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString())

const times = z.object({ solicitacao: instant.nullish(), liquidacao: instant.nullish() })
export type Times = z.infer<typeof times>
const railError = z.object({ codigo: z.string().nullish(), motivo: z.string().nullish() })

const holder = z.object({
  nome: z.string().nullish(),
  cpf: z.string().nullish(),
  cnpj: z.string().nullish(),
  codigoBanco: z.string().nullish(),
})
export type Holder = z.infer<typeof holder>

const returnStatus = z.enum(['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO'])

/** A devolução of a received PIX: ours, or the provider's own after a dispute. */
export const returned = z.object({
  id: z.string().nullish(),
  rtrId: z.string().nullish(),
  valor: cents,
  status: returnStatus,
  horario: times,
  motivo: z.string().nullish(),
  natureza: z.string().nullish(),
  gnExtras: z.object({ erro: railError.nullish() }).nullish().catch(null),
})
export type Returned = z.infer<typeof returned>

/**
 * What the recipient of a sent PIX gave back. The documentation writes it like any devolução; the official SDK as the rail's
 * id, the value and one time, of what has been returned.
 */
export const returnedToUs = z
  .object({
    id: z.string().nullish(),
    rtrId: z.string().nullish(),
    valor: cents,
    status: returnStatus.default('DEVOLVIDO'),
    horario: z.union([instant.transform((liquidacao): Times => ({ liquidacao })), times]),
    natureza: z.string().nullish(),
  })
  .refine(({ id, rtrId }) => id || rtrId, 'One without an id could be counted twice')
export type ReturnedToUs = z.infer<typeof returnedToUs>

/** Sent by the provider itself after a dispute: MED_FRAUDE, MED_OPERACIONAL, MED_PIX_AUTOMATICO (pix-api, Devolucao). */
export function isOfMed({ natureza }: Pick<Returned, 'natureza'>): boolean {
  return natureza?.startsWith('MED_') ?? false
}

export const received = z.object({
  endToEndId: z.string().min(1),
  txid: z.string().nullish(),
  valor: cents,
  chave: z.string().nullish(),
  horario: instant,
  pagador: holder.nullish().catch(null),
  gnExtras: z.object({ pagador: holder.nullish() }).nullish().catch(null),
  /** Read one by one (`returned`), so that an odd one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type Received = z.infer<typeof received>

const sentStatus = z.enum(['EM_PROCESSAMENTO', 'REALIZADO', 'NAO_REALIZADO'])

export const sent = z.object({
  endToEndId: z.string().min(1),
  idEnvio: z.string().nullish(),
  valor: cents,
  status: sentStatus,
  horario: times,
  /** Read one by one (`returnedToUs`), so that an odd one does not hide the PIX. */
  devolucoes: z.unknown().optional(),
})
export type Sent = z.infer<typeof sent>

const sentExtras = z.object({ erro: railError.nullish() }).nullish().catch(null)

/** A sent PIX looked up: the key's owner, or the account's, is under one of two names. */
export const transfer = sent.extend({
  favorecido: z
    .object({ identificacao: holder.nullish(), contaBanco: holder.nullish() })
    .nullish()
    .catch(null),
  gnExtras: sentExtras,
})
export type Transfer = z.infer<typeof transfer>

/** The answer to sending one, which the documentation gives the end-to-end id in its own way, and the official SDK not. */
export const newlySent = z
  .object({
    idEnvio: z.string(),
    e2eId: z.string().min(1).nullish(),
    endToEndId: z.string().min(1).nullish(),
    valor: cents,
    status: sentStatus,
    horario: times.default({}),
    gnExtras: sentExtras,
  })
  .transform(
    ({ e2eId, endToEndId, ...rest }): Transfer => ({ endToEndId: e2eId ?? endToEndId ?? '', ...rest }),
  )
  .refine(({ endToEndId }) => endToEndId !== '')

/**
 * A charge. Efí writes `expiracao` as a number here and as a text there, and leaves the payload out once it is paid;
 * one that can still be paid comes with it.
 */
export const cob = z
  .object({
    txid: z.string(),
    status: z.enum(['ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVIDA_PELO_PSP']),
    calendario: z.object({ criacao: instant, expiracao: z.coerce.number().int().positive() }),
    valor: z.object({ original: cents }),
    chave: z.string().nullish(),
    pixCopiaECola: z.string().nullish(),
    recebedor: holder.nullish().catch(null),
    /** Read one by one (`received`). */
    pix: z.unknown().optional(),
  })
  .refine(({ status, pixCopiaECola }) => status !== 'ATIVA' || Boolean(pixCopiaECola))
export type Cob = z.infer<typeof cob>

export const infraction = z.object({
  idInfracao: z.string().min(1),
  endToEndId: z.string().min(1),
  valor: cents,
  status: z.enum(['ABERTA', 'EM_DEFESA', 'ACEITA', 'REJEITADA', 'CANCELADA_EFI']),
  razao: z.string().nullish(),
  tipoSituacao: z.string().nullish(),
  tipoFraude: z.string().nullish(),
  comentario: z.string().nullish(),
  justificativaAnalista: z.string().nullish(),
  dadosAnalise: z.object({ abertura: instant, prazoFinalizacao: instant.nullish() }),
})
export type Infraction = z.infer<typeof infraction>
export const newKey = z.object({ chave: z.string().min(1) })
export const randomKeys = z.object({ chaves: z.array(z.string().min(1)) })

const amount = z
  .int()
  .positive()
  .transform(textFromCents)
  .pipe(z.string().regex(/^\d{1,10}\.\d{2}$/))

export const newCob = z.strictObject({
  calendario: z.strictObject({ expiracao: z.int().positive() }),
  valor: z.strictObject({ original: amount }),
  chave: z.string().min(1).max(77),
  solicitacaoPagador: z.string().max(140).optional(),
})
export const newTransfer = z.strictObject({
  valor: amount,
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
/** Only a defence against the dispute can be submitted (official SDK 2.0.1, `MedSubmitDefenseBodySchema`). */
export const LONGEST_DEFENCE = 1_000
export const newDefence = z.strictObject({
  analise: z.literal('rejeitado'),
  justificativa: z.string().min(1).max(LONGEST_DEFENCE),
})
export const newReturn = z.strictObject({ valor: amount })
export const removal = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }

/** Reais to centavos: a text or a number with at most two decimals, read exactly. */
function reais(read: (text: string) => number | null) {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const cents = read(withTwoDecimals(String(value)))
    if (cents !== null) return cents
    context.issues.push({ code: 'custom', message: 'no amount', input: value })
    return z.NEVER
  })
}

function withTwoDecimals(text: string): string {
  if (/^\d+$/.test(text)) return `${text}.00`
  return /^\d+\.\d$/.test(text) ? `${text}0` : text
}
