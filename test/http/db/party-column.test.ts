import { describe, expect, test } from '@jest/globals'
import { PartyType } from '../../../src/db/entities/party.ts'
import type { Party } from '../../../src/domain/providers/provider.ts'

describe('the column of a party', () => {
  const party = new PartyType()
  const known: Party = {
    name: 'Maria Souza',
    document: '52998224725',
    account_number: '1234567',
    account_agency: '0001',
    bank: { code: '001', name: 'Banco A', ispb: '00000000' },
    account_type: 'PAYMENT',
  }
  const unknown: Party = {
    name: '',
    document: '',
    account_number: '',
    account_agency: '',
    account_type: 'CHECKING',
    bank: { code: '', name: '', ispb: '' },
  }

  test.each([
    ['all texts', known],
    ['unknown texts', unknown],
    ['some texts of the bank', { ...unknown, bank: { ...unknown.bank, ispb: '99999004' } }],
  ])('gives %s back, as text and as the object of PostgreSQL', (_, value) => {
    const column = party.convertToDatabaseValue(value)!
    expect(party.convertToJSValue(column)).toEqual(value)
    expect(party.convertToJSValue(JSON.parse(column))).toEqual(value)
  })

  test('has no unknown text', () => {
    expect(party.convertToDatabaseValue(unknown)).toBe('{"account_type":"CHECKING"}')
  })
})
