import type { Party } from '../../domain/providers/provider.ts'

/** What a provider may tell of a sender or receiver. */
export type ProviderParty = {
  name?: string | null
  document?: string | null
  account?: string | null
  agency?: string | null
  ispb?: string | null
  bankName?: string | null
}

/** As the contract shows it: unknown texts are `''`, documents have no punctuation but the mask of whoever masked them. */
export function toParty(known: ProviderParty): Party {
  return {
    name: known.name ?? '',
    document: (known.document ?? '').replace(/[.\-/]/g, ''),
    account_number: known.account ?? '',
    account_agency: known.agency ?? '',
    bank: { code: '', name: known.bankName ?? '', ispb: known.ispb ?? '' },
    account_type: 'CHECKING',
  }
}
