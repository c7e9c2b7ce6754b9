import { getBanks } from '@brazilian-utils/brazilian-utils/get-banks'

/**
 * An institution with a COMPE code that takes part in the Central Bank's STR (ParticipantesSTR.csv), as the package
 * `@brazilian-utils/brazilian-utils` publishes the list. One that has no COMPE code is not in it.
 */
export type ListedBank = { ispb: string; code: string; name: string }

/** All of them, once per process. */
export const LISTED_BANKS: readonly ListedBank[] = getBanks().map(({ ispb, code, name }) => ({
  ispb,
  code,
  name,
}))

/** Finds an institution by its ISPB. */
export function findBankByIspb(ispb: string): ListedBank | undefined {
  return LISTED_BANKS.find(bank => bank.ispb === ispb)
}

/** Finds an institution by its COMPE code, of three digits. */
export function findBankByCode(code: string): ListedBank | undefined {
  return LISTED_BANKS.find(bank => bank.code === code)
}
