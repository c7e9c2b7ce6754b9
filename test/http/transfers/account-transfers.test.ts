import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** POST /transfers/bank-accounts: every wrong field is named at once, and nothing is stored. */

let fixture: ApiFixture
let token: string
let efiOnlyToken: string
beforeAll(async () => {
  fixture = await openApiFixture([transferRoutes])
  const accountUuid = await fixture.insertAccount()
  const efi = await fixture.insertConnection(accountUuid)
  const woovi = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
  await fixture.replaceDefaultProviders(accountUuid, [efi, woovi])
  token = await fixture.insertToken({ accountUuid })
  const other = await fixture.insertAccount()
  await fixture.replaceDefaultProviders(other, [await fixture.insertConnection(other)])
  efiOnlyToken = await fixture.insertToken({ accountUuid: other })
})
afterAll(() => fixture?.close())

const RECEIVER = {
  name: 'Maria Silva',
  document: '52998224725',
  ispb: '18236120',
  agency: '0001',
  account: '1234567',
  account_type: 'CHECKING',
}
const order = (body: object, by = token) =>
  fixture.call('POST', '/api/v1/transfers/bank-accounts', { token: by, body })
const orderTo = (changes: object, by = token) =>
  order({ value: 10, receiver: { ...RECEIVER, ...changes } }, by)

test.each([
  ['an ISPB', {}],
  ['an ISPB in lower case', { ispb: '4abcd678' }],
  ['an ISPB that no list of banks has', { ispb: '99999999' }],
  ['a COMPE code', { ispb: undefined, bank_code: '260' }],
  ['both names of one bank', { bank_code: '260' }],
  ['a CNPJ with letters', { document: '12abc34501de35' }],
  ['a type in lower case', { account_type: 'payment' }],
  ['the longest branch and account', { agency: '9999', account: '1'.repeat(20) }],
])('a receiver with %s is accepted', async (_, changes) => {
  const { status, body } = await orderTo(changes)
  // Allowed: what is missing here is Temporal.
  expect([status, body.code]).toEqual([503, 'unavailable'])
})

test.each<[string, object, Record<string, string>]>([
  ['no name', { name: ' ' }, { 'receiver.name': 'must' }],
  ['a name of 141 characters', { name: 'a'.repeat(141) }, { 'receiver.name': 'must' }],
  ['wrong check digits', { document: '52998224724' }, { 'receiver.document': 'must' }],
  ['a document with a mask', { document: '529.982.247-25' }, { 'receiver.document': 'must' }],
  ['no bank', { ispb: undefined }, { 'receiver.ispb': 'is required' }],
  ['an ISPB of seven characters', { ispb: '1823612' }, { 'receiver.ispb': 'must be 8 digits' }],
  ['an ISPB of nine characters', { ispb: '182361200' }, { 'receiver.ispb': 'must be 8 digits' }],
  ['an ISPB with a hyphen', { ispb: '1823-120' }, { 'receiver.ispb': 'must be 8 digits' }],
  [
    'a COMPE code of no bank',
    { ispb: undefined, bank_code: '999' },
    { 'receiver.bank_code': 'is no COMPE code' },
  ],
  [
    'a COMPE code of two digits',
    { ispb: undefined, bank_code: '26' },
    { 'receiver.bank_code': 'must be 3 digits' },
  ],
  ['two banks', { bank_code: '001' }, { 'receiver.bank_code': 'is another bank than ispb' }],
  ['no branch', { agency: '' }, { 'receiver.agency': 'must be 1 to 4 digits' }],
  ['a branch with a check digit', { agency: '0001-9' }, { 'receiver.agency': 'must be 1 to 4 digits' }],
  ['a branch of five digits', { agency: '12345' }, { 'receiver.agency': 'must be 1 to 4 digits' }],
  ['a number as branch', { agency: 1 }, { 'receiver.agency': 'must' }],
  ['an account with a hyphen', { account: '123456-7' }, { 'receiver.account': 'must be 1 to 20 digits' }],
  ['an account with a letter', { account: '123456X' }, { 'receiver.account': 'must be 1 to 20 digits' }],
  ['an account of 21 digits', { account: '1'.repeat(21) }, { 'receiver.account': 'must be 1 to 20 digits' }],
  ['another type', { account_type: 'INVESTMENT' }, { 'receiver.account_type': 'must' }],
  ['an unknown field', { branch: '1' }, { 'receiver.branch': 'is not a known field' }],
  [
    'several wrong fields',
    { ispb: undefined, agency: 'x', account: '', document: '1' },
    {
      'receiver.ispb': 'is required',
      'receiver.agency': 'must',
      'receiver.account': 'must',
      'receiver.document': 'must',
    },
  ],
])('a receiver with %s is 422', async (_, changes, errors) => {
  const { status, body } = await orderTo(changes)
  expect([status, body.code]).toEqual([422, 'validation_failed'])
  expect(Object.keys(body.errors).toSorted()).toEqual(Object.keys(errors).toSorted())
  for (const [field, message] of Object.entries(errors)) expect(body.errors[field][0]).toContain(message)
})

test('an order without a receiver, with a key or a look-up, is 422', async () => {
  const { body } = await order({ value: 0, pix_key: 'maria@example.com', document: '52998224725' })
  expect(Object.keys(body.errors).toSorted()).toEqual(['document', 'pix_key', 'receiver', 'value'])
})

describe('the type of the account', () => {
  test.each(['PAYMENT', 'SALARY'])('%s is 422 where none of the providers pays it', async account_type => {
    const { status, body } = await orderTo({ account_type }, efiOnlyToken)
    expect([status, body.errors]).toEqual([
      422,
      { 'receiver.account_type': ['no provider of this transfer pays an account of this type'] },
    ])
    // Beside the errors of its format.
    const both = await orderTo({ account_type, agency: '' }, efiOnlyToken)
    expect(Object.keys(both.body.errors).toSorted()).toEqual(['receiver.account_type', 'receiver.agency'])
    expect((await orderTo({ account_type })).body.code).toBe('unavailable')
  })

  test('that is none is refused by its format alone', async () => {
    const { body } = await orderTo({ account_type: 'x' }, efiOnlyToken)
    expect(body.errors['receiver.account_type']).toHaveLength(1)
  })
})

test('nothing is stored of what is refused', async () => {
  const [{ count }] = (await fixture.orm.em
    .fork()
    .execute('select count(*)::int as count from transfer')) as [{ count: number }]
  expect(count).toBe(0)
})
