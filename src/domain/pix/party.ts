/** Kinds of an account at a bank, as the rail has them. */
export const BANK_ACCOUNT_TYPES = ['CHECKING', 'PAYMENT', 'SAVINGS', 'SALARY'] as const
export type BankAccountType = (typeof BANK_ACCOUNT_TYPES)[number]

/** A sender or receiver of a PIX movement, as the contract shows it; unknown texts are `''`. */
export type Party = {
  name: string
  document: string
  account_number: string
  account_agency: string
  bank: { code: string; name: string; ispb: string }
  account_type: BankAccountType
}
