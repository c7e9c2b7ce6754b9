import { z } from 'zod'
import { normalizeIspb } from '../../domain/pix/ispb.ts'
import type { Party } from '../../domain/pix/party.ts'
import { optionalField, optionalText } from './fields.ts'

/** The data of a sender or receiver that providers report. */
type ProviderParty = Partial<
  Record<'name' | 'document' | 'account' | 'agency' | 'ispb' | 'bankName', string | null>
>

/** Formats a party for the API: unknown texts are `''`, documents lose their punctuation but keep a provider's mask. */
export function toParty(party: ProviderParty): Party {
  return {
    name: party.name ?? '',
    document: (party.document ?? '').replace(/[.\-/]/g, ''),
    account_number: party.account ?? '',
    account_agency: party.agency ?? '',
    bank: { code: '', name: party.bankName ?? '', ispb: normalizeIspb(party.ispb ?? '') },
    account_type: 'CHECKING',
  }
}

/**
 * Creates the schema of a party whose data have the provider's `names`; null where it is absent or unreadable. A text of it that has
 * another type counts as absent.
 */
export function createPartySchema(names: Partial<Record<keyof ProviderParty, string>>) {
  return optionalField(z.looseObject({})).transform((fields): Party | null => {
    if (!fields) return null
    const texts = Object.entries(names).map(([name, field]) => [name, optionalText.parse(fields[field])])
    return toParty(Object.fromEntries(texts))
  })
}
