import { z } from 'zod'
import { centsFromReais, centsFromText, sumFromText, textFromCents } from '../../domain/money.ts'

/** Efí's wire. What comes in is read leniently (only what we need, the rest may be anything); what goes out is strict. */

const cents = centavos(centsFromText)
const sum = centavos(sumFromText)
/** RFC 3339 with any offset, to UTC. */
const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString())

const times = z.object({ solicitacao: instant.nullish(), liquidacao: instant.nullish() })
const railError = z.object({ codigo: z.string().nullish(), motivo: z.string().nullish() })

const holder = z.object({
  nome: z.string().nullish(),
  cpf: z.string().nullish(),
  cnpj: z.string().nullish(),
  codigoBanco: z.string().nullish(),
})
export type Holder = z.infer<typeof holder>

/** A devolução: ours on a received PIX, the recipient's on a sent one, where it has no id of ours. */
export const returned = z.object({
  id: z.string().nullish(),
  rtrId: z.string().nullish(),
  valor: cents,
  status: z.enum(['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO']),
  horario: times,
  motivo: z.string().nullish(),
  natureza: z.string().nullish(),
  gnExtras: z.object({ erro: railError.nullish() }).nullish(),
})
export type Returned = z.infer<typeof returned>

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
  pagador: holder.nullish(),
  gnExtras: z.object({ pagador: holder.nullish() }).nullish(),
  devolucoes: z.array(returned).nullish(),
})
export type Received = z.infer<typeof received>

export const sent = z.object({
  endToEndId: z.string().min(1),
  idEnvio: z.string().nullish(),
  valor: cents,
  status: z.string(),
  horario: times,
  devolucoes: z.array(returned).nullish(),
})
export type Sent = z.infer<typeof sent>

const sentStatus = z.enum(['EM_PROCESSAMENTO', 'REALIZADO', 'NAO_REALIZADO'])
const sentExtras = z.object({ erro: railError.nullish() }).nullish()

/** A sent PIX looked up: the key's owner, or the account's, is under one of two names. */
export const transfer = sent.extend({
  status: sentStatus,
  favorecido: z.object({ identificacao: holder.nullish(), contaBanco: holder.nullish() }).nullish(),
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
    recebedor: holder.nullish(),
    pix: z.array(received).nullish(),
  })
  .refine(({ status, pixCopiaECola }) => status !== 'ATIVA' || Boolean(pixCopiaECola))
export type Cob = z.infer<typeof cob>

export const saldo = z.object({
  saldo: sum,
  bloqueios: z.object({ total: sum }).nullish(),
})

/** Reais: the documentation writes a text, the official SDK expects a number. */
const reais = z.union([z.number(), z.string().regex(/^\d+(\.\d{1,2})?$/)]).transform((value, context) => {
  const inCents = centsFromReais(Number(value))
  if (inCents !== null) return inCents
  context.issues.push({ code: 'custom', message: 'no amount', input: value })
  return z.NEVER
})

export const infraction = z.object({
  idInfracao: z.string().min(1),
  endToEndId: z.string().min(1),
  valor: reais,
  status: z.enum(['ABERTA', 'EM_DEFESA', 'ACEITA', 'REJEITADA', 'CANCELADA_EFI']),
  razao: z.string().nullish(),
  tipoSituacao: z.string().nullish(),
  tipoFraude: z.string().nullish(),
  comentario: z.string().nullish(),
  justificativaAnalista: z.string().nullish(),
  dadosAnalise: z.object({ abertura: instant, prazoFinalizacao: instant.nullish() }),
})
export type Infraction = z.infer<typeof infraction>
export const infractions = z.object({
  parametros: z.object({ paginacao: z.object({ quantidadeDePaginas: z.coerce.number().int().min(0) }) }),
  infracoes: z.array(infraction),
})

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
export const newDefence = z.strictObject({
  analise: z.enum(['aceito', 'rejeitado']),
  justificativa: z.string().min(1),
})
export const newReturn = z.strictObject({ valor: amount })
export const removal = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }

function centavos(read: (text: string) => number | null) {
  return z.string().transform((text, context) => {
    const value = read(text)
    if (value !== null) return value
    context.issues.push({ code: 'custom', message: 'no amount', input: text })
    return z.NEVER
  })
}
