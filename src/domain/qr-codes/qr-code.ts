/** A static code is payable for as long as its key exists: DISABLED says what its payments become, not that there are none. */
export const QR_CODE_STATUSES = ['ACTIVE', 'DISABLED'] as const
export type QrCodeStatus = (typeof QR_CODE_STATUSES)[number]

/** What becomes of a PIX that a code does not expect: of another value than the code's, or after it was disabled. */
export const QR_CODE_PAYMENT_POLICIES = ['KEEP', 'RETURN'] as const
export type QrCodePaymentPolicy = (typeof QR_CODE_PAYMENT_POLICIES)[number]

/** Longest txid of a static code (pix-api, TxId; Manual do BR Code, 62-05). */
export const MAX_STATIC_TXID_LENGTH = 25

/**
 * Derives the txid of a static code from a uuid: the whole of it in base 36, so that it is as unique. 25 characters, the most that a
 * static code has; a dynamic one has 26 at least.
 */
export function staticTxidOf(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString(36)
    .padStart(MAX_STATIC_TXID_LENGTH, '0')
}

/** Tells whether a txid of a received PIX is that of a static code. */
export function isStaticTxid(txid: string): boolean {
  return /^[a-zA-Z0-9]{1,25}$/.test(txid)
}

/** Tells whether a PIX names no code: one by key has no txid, or that of a code that names none. Woovi shows the end-to-end id in its place. */
export function isTxidDropped(txid: string | null): boolean {
  return txid === null || txid === '' || txid === '***' || /^E[0-9A-Z]{8}\d{12}[a-zA-Z0-9]{11}$/.test(txid)
}

/** What decides what a PIX to a code becomes. `valueCents` null: the payer chooses. */
export type QrCodeTerms = {
  status: QrCodeStatus
  onPayment: QrCodePaymentPolicy
  valueCents: number | null
  feeCents: number
  /** A FIXED share is an amount out of the code's value: no other value can be shared so. */
  hasFixedSplits: boolean
}

/**
 * What a PIX to a code becomes: a charge of the code's value, a charge of what was paid, or an unmatched PIX for a reason.
 */
export type QrCodePayment =
  | { kind: 'charge'; valueCents: number; feeCents: number }
  | { kind: 'unmatched'; reason: 'wrong_amount' | 'code_disabled' }

/** Decides what a PIX of a value to a code becomes (SPEC §2). */
export function decideQrCodePayment(code: QrCodeTerms, paidCents: number): QrCodePayment {
  const { valueCents, feeCents } = code
  const isOtherValue = valueCents !== null && paidCents !== valueCents + feeCents
  if (code.status === 'DISABLED' && code.onPayment === 'RETURN')
    return { kind: 'unmatched', reason: 'code_disabled' }
  if (isOtherValue && (code.onPayment === 'RETURN' || code.hasFixedSplits))
    return { kind: 'unmatched', reason: 'wrong_amount' }
  if (valueCents === null || isOtherValue) return { kind: 'charge', valueCents: 0, feeCents: 0 }
  return { kind: 'charge', valueCents, feeCents }
}
