/** Money is integer centavos everywhere inside; reais live on the wire only (SPEC §1). */

/** The largest amount the service takes, in centavos: 9 999 999 999.99 reais. */
export const MAX_CENTS = 999_999_999_999

/**
 * Centavos of an amount in reais, or null where it has more than two decimals, is negative, not finite or too large.
 * The shortest decimal text of the number decides, so 4.35 is 435 and 1.005 is refused, whatever binary makes of them.
 */
export function centsFromReais(reais: number): number | null {
  return centsFromDecimal(String(reais))
}

/** Centavos of a two-decimal text as providers send it (`"12.34"`), or null. */
export function centsFromText(text: string): number | null {
  return /^\d{1,10}\.\d{2}$/.test(text) ? centsFromDecimal(text) : null
}

/** Centavos of such a text that adds up many amounts (a balance): it may be negative, and only a number's range bounds it. */
export function centsFromSumText(text: string): number | null {
  if (!/^-?\d+\.\d{2}$/.test(text)) return null
  // Adding 0 makes a zero of -0.
  const cents = Number(text.replace('.', '')) + 0
  return Number.isSafeInteger(cents) ? cents : null
}

/** Reais as a JSON number. */
export function reaisFromCents(cents: number): number {
  return Number(textFromCents(cents))
}

/** Reais as a text with two decimals: `"12.34"`. */
export function textFromCents(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * A share of an amount in hundredths of a percent, rounded down: what a split gets.
 * Integer arithmetic in two steps, because cents × 10 000 leaves the safe integers.
 */
export function computeShareCents(cents: number, hundredthsOfPercent: number): number {
  const wholeUnits = Math.floor(cents / 10_000)
  const remainderCents = cents - wholeUnits * 10_000
  return wholeUnits * hundredthsOfPercent + Math.floor((remainderCents * hundredthsOfPercent) / 10_000)
}

/** A fee: a fixed part plus hundredths of a percent of the amount, rounded half up (SPEC §2). */
export function computeFeeCents(cents: number, fee: Fee): number {
  const doubled = computeShareCents(cents * 2, fee.hundredthsOfPercent)
  return fee.fixedCents + Math.floor((doubled + 1) / 2)
}

/** One line of a connection's fee table. */
export type Fee = { fixedCents: number; hundredthsOfPercent: number }
const NO_FEE: Fee = { fixedCents: 0, hundredthsOfPercent: 0 }

/** Operations that have a fee: a charge's is paid by the payer, a transfer's by the sender, a refund's by the account. */
export const FEE_LINES = ['charge', 'transfer', 'refund'] as const
export type FeeLine = (typeof FEE_LINES)[number]

/** What each kind of operation costs on one connection. */
export type FeeTable = Record<FeeLine, Fee>
export const NO_FEES: FeeTable = { charge: NO_FEE, transfer: NO_FEE, refund: NO_FEE }

/** Fee that the payer pays on top of the value; of an open amount it is known once that is paid (SPEC §2). */
export function computeQuotedFeeCents(valueCents: number, { charge }: FeeTable): number {
  return valueCents === 0 ? 0 : computeFeeCents(valueCents, charge)
}

function centsFromDecimal(text: string): number | null {
  const match = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text)
  if (!match) return null
  const cents = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  return cents <= MAX_CENTS ? cents : null
}

const FEE_PATTERN = /^(\d+(?:\.\d+)?)?(?:(?:^|(?<=\d)\+)(\d+(?:\.\d+)?)%)?$/

/** Reads a fee as operators write it: `0.10` reais, `0.99%`, or both, `0.10+0.99%`; null for another text. */
export function feeFromText(text: string): Fee | null {
  const [, reais, percent] = FEE_PATTERN.exec(text) ?? []
  const fixedCents = centsFromReais(Number(reais ?? 0))
  const hundredthsOfPercent = centsFromReais(Number(percent ?? 0))
  const isWrong = reais === undefined && percent === undefined
  if (isWrong || fixedCents === null || hundredthsOfPercent === null || hundredthsOfPercent > 10_000)
    return null
  return { fixedCents, hundredthsOfPercent }
}

export function formatFee({ fixedCents, hundredthsOfPercent }: Fee): string {
  return `${textFromCents(fixedCents)}+${textFromCents(hundredthsOfPercent)}%`
}
