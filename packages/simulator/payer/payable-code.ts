/** A PIX code that can be paid, with what its payer sees before paying. */
export type PayableCode = {
  receiver: string
  city: string
  key: string
  cents: number
  txid: string
  message: string | null
  /** Null of a static code. */
  expiresAt: string | null
}
export type CodeReading = { kind: 'payable'; code: PayableCode } | { kind: 'not_payable'; why: string }
