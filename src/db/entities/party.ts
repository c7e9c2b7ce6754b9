import { Type } from '@mikro-orm/core'
import type { Party } from '../../domain/pix/party.ts'

/** What the column has of a party: the texts that are known. */
type StoredParty = Partial<Omit<Party, 'bank'>> & { bank?: Partial<Party['bank']> }

/** Column of a sender or receiver: JSON without the unknown texts, which are `''` in a `Party`. */
export class PartyType extends Type<Party | null, string | StoredParty | null> {
  override convertToDatabaseValue(party: Party | null): string | null {
    if (!party) return null
    const bank = omitEmpty(party.bank)
    const stored: StoredParty = { ...omitEmpty(party), bank }
    if (Object.keys(bank).length === 0) delete stored.bank
    return JSON.stringify(stored)
  }

  override convertToJSValue(column: string | StoredParty | null): Party | null {
    if (column === null) return null
    const { bank, ...texts }: StoredParty = typeof column === 'string' ? JSON.parse(column) : column
    return { ...EMPTY_PARTY, ...texts, bank: { ...EMPTY_PARTY.bank, ...bank } }
  }

  override ensureComparable(): boolean {
    return true
  }

  override compareAsType(): string {
    return 'string'
  }

  override getColumnType(): string {
    return 'jsonb'
  }
}

const EMPTY_PARTY = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
} satisfies Party

function omitEmpty<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<Fields>
}
