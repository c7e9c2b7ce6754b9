/**
 * What a PIX code of another receiver says before it is paid: the document at its location (pix-api, CobPayload, CobVPayload and
 * RecPayload), or the code itself where it is static.
 */

export const CODE_KINDS = ['STATIC', 'DYNAMIC', 'DUE', 'RECURRENCE', 'COMPOSITE'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

export const CODE_STATUSES = ['PAYABLE', 'PAID', 'REMOVED', 'EXPIRED', 'TOO_EARLY'] as const
export type CodeStatus = (typeof CODE_STATUSES)[number]

/** VERIFIED: the chain of the signing certificate ends in the trust store; UNVERIFIED: it was not checked, or nothing is signed. */
export const CODE_SIGNATURES = ['VERIFIED', 'UNVERIFIED'] as const
export type CodeSignature = (typeof CODE_SIGNATURES)[number]

/** Centavos. `dueNowCents`: what is paid on the day that was read for; 0 where `isOpen` and the receiver proposes nothing. */
export type CodeValue = {
  originalCents: number
  dueNowCents: number
  fineCents: number
  interestCents: number
  discountCents: number
  abatementCents: number
  /** The payer chooses the value. */
  isOpen: boolean
}

/** What was read of a code. Texts that it does not name are `''`. */
export type CodeReading = {
  kind: CodeKind
  receiverName: string
  receiverDocument: string
  /** `''` where the code names none: that of a recurrence. */
  pixKey: string
  txid: string | null
  value: CodeValue
  status: CodeStatus
  expiresAt: Date | null
  signature: CodeSignature
}

/** Statuses of a charge in its document (pix-api, CobrancaStatus) and of a recurrence (RecAtualizacao). */
export const DOCUMENT_STATUSES = {
  ATIVA: 'PAYABLE',
  CONCLUIDA: 'PAID',
  REMOVIDA_PELO_USUARIO_RECEBEDOR: 'REMOVED',
  REMOVIDA_PELO_PSP: 'REMOVED',
  CRIADA: 'PAYABLE',
  APROVADA: 'PAYABLE',
  REJEITADA: 'REMOVED',
  CANCELADA: 'REMOVED',
  EXPIRADA: 'EXPIRED',
} as const satisfies Record<string, CodeStatus>

/** `payOn`: the day of payment in Brasília, `YYYY-MM-DD`; absent: now. */
type PaymentMoment = { now: Date; payOn?: string | undefined }

const DAY_MS = 24 * 60 * 60 * 1_000
/** Brasília has no summer time since 2019 (Decreto 9.772/2019). */
const BRASILIA_OFFSET_MS = 3 * 60 * 60 * 1_000

/** Names the day in Brasília of a moment, `YYYY-MM-DD`. */
function brasiliaDayOf(at: Date): string {
  return new Date(at.getTime() - BRASILIA_OFFSET_MS).toISOString().slice(0, 10)
}

/**
 * Decides whether a charge whose document says `status` can be paid. It is EXPIRED after `expiresAt`, and TOO_EARLY on a day before it
 * was created.
 */
export function judgeCodeStatus(
  { status, createdAt, lastMoment }: { status: CodeStatus; createdAt: Date; lastMoment: Date },
  { now, payOn }: PaymentMoment,
): CodeStatus {
  if (status !== 'PAYABLE') return status
  if (payOn !== undefined && payOn < brasiliaDayOf(createdAt)) return 'TOO_EARLY'
  const paidAt = payOn === undefined || payOn === brasiliaDayOf(now) ? now : startOfBrasiliaDay(payOn)
  return paidAt > lastMoment ? 'EXPIRED' : 'PAYABLE'
}

/** Most days by which holidays in a row can move a last day of payment: the Carnival and a weekend, and one of the state. */
const MAX_HOLIDAYS = 5

/**
 * Computes the end of the last day on which a charge with a due date can be paid: the due date and the last day move to the next
 * working day (pix-api, `validadeAposVencimento`). Only weekends are known here: `expiresAt` counts them, and `lastMoment` leaves
 * room for holidays, so that no code is called expired that a bank still pays.
 */
export function computeDueExpiry(
  dueDay: string,
  daysAfterDue: number,
): { expiresAt: Date; lastMoment: Date } {
  const dueAt = skipWeekend(startOfBrasiliaDay(dueDay))
  const lastDayAt = skipWeekend(new Date(dueAt.getTime() + daysAfterDue * DAY_MS))
  const expiresAt = new Date(lastDayAt.getTime() + DAY_MS)
  return { expiresAt, lastMoment: new Date(expiresAt.getTime() + MAX_HOLIDAYS * DAY_MS) }
}

function startOfBrasiliaDay(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + BRASILIA_OFFSET_MS)
}

function skipWeekend(at: Date): Date {
  const weekday = new Date(at.getTime() - BRASILIA_OFFSET_MS).getUTCDay()
  const daysToMonday = weekday === 6 ? 2 : weekday === 0 ? 1 : 0
  return new Date(at.getTime() + daysToMonday * DAY_MS)
}
