import { RECURRENCE_REJECTION_CODES, type RecurrenceRejectionCode, TRY_CODES, type TryCode } from './codes.ts'

/** A debtor whose bank refuses the recurrence, or each try of its charges, with one code. */
export type MagicDebtor = { document: string; code: RecurrenceRejectionCode | TryCode }

/** The CPFs of the magic debtors: 900000 and the number of the code, with the two check digits. */
export const MAGIC_DEBTORS: readonly MagicDebtor[] = [...RECURRENCE_REJECTION_CODES, ...TRY_CODES].map(
  (code, index) => ({ document: completeCpf(`900000${String(index + 1).padStart(3, '0')}`), code }),
)

/** Finds the code by which a magic debtor's bank refuses the recurrence. */
export function findMagicRejection(document: string): RecurrenceRejectionCode | undefined {
  const code = MAGIC_DEBTORS.find(debtor => debtor.document === document)?.code
  return RECURRENCE_REJECTION_CODES.find(one => one === code)
}

/** Finds the code by which a magic debtor's bank refuses every try. */
export function findMagicTryCode(document: string): TryCode | undefined {
  const code = MAGIC_DEBTORS.find(debtor => debtor.document === document)?.code
  return TRY_CODES.find(one => one === code)
}

function completeCpf(base: string): string {
  const withFirst = base + computeCheckDigit(base)
  return withFirst + computeCheckDigit(withFirst)
}

function computeCheckDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (digits.length + 1 - at), 0)
  return String(((sum * 10) % 11) % 10)
}
