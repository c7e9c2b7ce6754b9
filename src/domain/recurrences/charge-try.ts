/**
 * FIRST: the debit of the due day. RETRY: one that the receiver asked for after it. SAME_DAY: an instruction sent again for the day of one
 * that failed. AGND, NTAG and RIFL of the pix-api.
 */
export const TRY_KINDS = ['FIRST', 'RETRY', 'SAME_DAY'] as const
type TryKind = (typeof TRY_KINDS)[number]

/** SOLICITADA, AGENDADA, PAGA, CANCELADA, REJEITADA and EXPIRADA of the pix-api. */
export const TRY_STATUSES = ['REQUESTED', 'SCHEDULED', 'PAID', 'CANCELLED', 'REJECTED', 'EXPIRED'] as const
type TryStatus = (typeof TRY_STATUSES)[number]

/** A try to debit the charge of a cycle, as its provider reports it. */
export type ChargeTry = {
  /** The day of the debit, `YYYY-MM-DD` of Brasília. */
  on: string
  kind: TryKind
  status: TryStatus
  /** Why it was rejected, as it was reported; null where it was not, or where no code was. */
  code: string | null
  endToEnd: string | null
}
