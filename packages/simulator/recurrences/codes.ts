// Codes of Pix Automático, as the Central Bank's API lists them (pix-api 2.9.0: RecEncerramento, CobRAtualizacao, CobRTentativas).

/** Codes by which the payer's bank refuses a recurrence. */
export const RECURRENCE_REJECTION_CODES = ['AP13', 'AP14'] as const
export type RecurrenceRejectionCode = (typeof RECURRENCE_REJECTION_CODES)[number]

/** Who asks for a cancellation. */
export type CancellationSource = 'payer' | 'payer_bank' | 'receiver' | 'receiver_bank'

/** Codes of the cancellation of a recurrence, with who asks for it. */
export const RECURRENCE_CANCELLATION_SOURCES = {
  ACCL: 'payer_bank',
  CPCL: 'receiver_bank',
  DCSD: 'payer_bank',
  ERSL: 'receiver_bank',
  FRUD: 'payer_bank',
  PCFD: 'receiver_bank',
  SLCR: 'receiver',
  SLDB: 'payer',
} as const satisfies Record<string, CancellationSource>
export type RecurrenceCancellationCode = keyof typeof RECURRENCE_CANCELLATION_SOURCES

/** Codes of the cancellation of an automatic charge, with who asks for it. */
export const CHARGE_CANCELLATION_SOURCES = {
  ACCT: 'payer_bank',
  BLCK: 'payer_bank',
  CCLD: 'payer_bank',
  FAIL: 'payer_bank',
  OTHR: 'payer_bank',
  SLBD: 'payer',
  SLCR: 'receiver',
} as const satisfies Record<string, CancellationSource>
export type ChargeCancellationCode = keyof typeof CHARGE_CANCELLATION_SOURCES

/** Codes by which the payer's bank refuses a try. */
export const TRY_CODES = [
  'AB10',
  'AC05',
  'AC06',
  'AM02',
  'AM09',
  'DENC',
  'DS27',
  'DTED',
  'DTNT',
  'FBRD',
  'IRNT',
  'MIDI',
  'MSUC',
  'NIEC',
  'NIPA',
  'NITX',
  'QUNT',
  'RC09',
  'UDEI',
] as const
export type TryCode = (typeof TRY_CODES)[number]

/** Codes of a try that reject its charge as well (pix-api, CobRTentativas). */
const FINAL_CODES: ReadonlySet<TryCode> = new Set([
  'AC05',
  'AM09',
  'DENC',
  'DS27',
  'DTED',
  'MIDI',
  'MSUC',
  'NITX',
  'RC09',
])

export function isFinalCode(code: TryCode): boolean {
  return FINAL_CODES.has(code)
}

/** Tells whether the receiver's bank instructs again on the same day: after an error at the payer's bank (ISO 20022). */
export function isRetriedOnSameDay(code: TryCode): boolean {
  return code === 'AB10'
}
