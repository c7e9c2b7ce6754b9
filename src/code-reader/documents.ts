import { z } from 'zod'
import { centsFromText } from '../domain/ledger/money.ts'
import {
  type CodeReading,
  type CodeValue,
  computeDueExpiry,
  DOCUMENT_STATUSES,
  judgeCodeStatus,
} from '../domain/qr-codes/code-reading.ts'

/** The documents at the locations of codes (pix-api 2.9.0: CobPayload, CobVPayload, RecPayload). Other fields are ignored. */

const cents = z.string().transform((text, context) => {
  const value = centsFromText(text)
  if (value !== null) return value
  context.issues.push({ code: 'custom', input: text, message: 'no amount' })
  return z.NEVER
})
const sometimesCents = cents.optional().transform(value => value ?? 0)
const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text))
/** Whole numbers, which the examples of the document write as texts too. */
const wholeNumber = z.coerce.number().int().min(0).max(100_000_000)
const chargeFields = {
  txid: z.string().regex(/^[a-zA-Z0-9]{1,35}$/),
  status: z.enum(['ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVIDA_PELO_PSP']),
  chave: z.string().min(1).max(77),
}
const receiver = z.object({
  nome: z.string().max(200).default(''),
  cpf: z.string().max(14).optional(),
  cnpj: z.string().max(14).optional(),
})

const immediateDocument = z.object({
  ...chargeFields,
  calendario: z.object({ criacao: instant, expiracao: wholeNumber.default(86_400) }),
  valor: z.object({
    original: cents,
    modalidadeAlteracao: wholeNumber.default(0),
    retirada: z.object({}).optional(),
  }),
})
const dueDocument = z.object({
  ...chargeFields,
  calendario: z.object({
    criacao: instant,
    dataDeVencimento: z.iso.date(),
    validadeAposVencimento: wholeNumber.default(30),
  }),
  recebedor: receiver,
  valor: z.object({
    original: cents.optional(),
    multa: sometimesCents,
    juros: sometimesCents,
    abatimento: sometimesCents,
    desconto: sometimesCents,
    final: cents,
  }),
})
const recurrenceDocument = z.object({
  recebedor: receiver,
  valor: z.object({ valorRec: cents.optional() }).default({}),
  atualizacao: z
    .array(
      z.object({
        status: z.enum(['CRIADA', 'APROVADA', 'REJEITADA', 'EXPIRADA', 'CANCELADA']),
        data: instant,
      }),
    )
    .min(1),
})

/** What a document says; its code, and whether its signature was verified, are known to the caller. */
type ReadDocument = Omit<CodeReading, 'signature'>
type ReadOptions = { now: Date; payOn?: string | undefined; receiverName: string }

/** Reads the document of a charge; `unreadable` where it has another form, `withdrawal` where it also pays out cash. */
export function readChargeDocument(
  content: unknown,
  options: ReadOptions,
): ReadDocument | 'unreadable' | 'withdrawal' {
  const isDue = Object(Object(content).calendario).dataDeVencimento !== undefined
  return isDue ? readDueDocument(content, options) : readImmediateDocument(content, options)
}

function readImmediateDocument(content: unknown, { now, payOn, receiverName }: ReadOptions) {
  const { data } = immediateDocument.safeParse(content)
  if (!data) return 'unreadable'
  const { calendario, valor, txid, chave } = data
  if (valor.retirada) return 'withdrawal'
  const isOpen = valor.modalidadeAlteracao === 1
  if (valor.original === 0 && !isOpen) return 'unreadable'
  const expiresAt = new Date(calendario.criacao.getTime() + calendario.expiracao * 1_000)
  const status = DOCUMENT_STATUSES[data.status]
  return {
    kind: 'DYNAMIC' as const,
    receiverName,
    receiverDocument: '',
    pixKey: chave,
    txid,
    value: buildPlainValue(valor.original, isOpen),
    status: judgeCodeStatus({ status, createdAt: calendario.criacao, lastMoment: expiresAt }, { now, payOn }),
    expiresAt,
  }
}

function readDueDocument(content: unknown, { now, payOn, receiverName }: ReadOptions) {
  const { data } = dueDocument.safeParse(content)
  if (!data || data.valor.final === 0) return 'unreadable'
  const { calendario, valor, recebedor, txid, chave } = data
  const { expiresAt, lastMoment } = computeDueExpiry(
    calendario.dataDeVencimento,
    calendario.validadeAposVencimento,
  )
  const status = DOCUMENT_STATUSES[data.status]
  return {
    kind: 'DUE' as const,
    receiverName: recebedor.nome || receiverName,
    receiverDocument: recebedor.cnpj ?? recebedor.cpf ?? '',
    pixKey: chave,
    txid,
    value: {
      originalCents: valor.original ?? valor.final,
      dueNowCents: valor.final,
      fineCents: valor.multa,
      interestCents: valor.juros,
      discountCents: valor.desconto,
      abatementCents: valor.abatimento,
      isOpen: false,
    },
    status: judgeCodeStatus({ status, createdAt: calendario.criacao, lastMoment }, { now, payOn }),
    expiresAt,
  }
}

/** Reads the document of a recurrence, whose status is the latest of its history. */
export function readRecurrenceDocument(content: unknown): ReadDocument | 'unreadable' {
  const { data } = recurrenceDocument.safeParse(content)
  if (!data) return 'unreadable'
  const { recebedor, valor, atualizacao } = data
  const latest = atualizacao.reduce((a, b) => (b.data >= a.data ? b : a))
  return {
    kind: 'RECURRENCE',
    receiverName: recebedor.nome,
    receiverDocument: recebedor.cnpj ?? recebedor.cpf ?? '',
    pixKey: '',
    txid: null,
    value: buildPlainValue(valor.valorRec ?? 0, valor.valorRec === undefined),
    status: DOCUMENT_STATUSES[latest.status],
    expiresAt: null,
  }
}

/** Builds a value without fine, interest and discounts. */
export function buildPlainValue(valueCents: number, isOpen: boolean): CodeValue {
  return {
    originalCents: valueCents,
    dueNowCents: valueCents,
    fineCents: 0,
    interestCents: 0,
    discountCents: 0,
    abatementCents: 0,
    isOpen,
  }
}
