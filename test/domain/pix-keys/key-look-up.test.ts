import { describe, expect, test } from '@jest/globals'
import { isOtherOwner, matchDocument, matchName } from '../../../src/domain/pix-keys/key-look-up.ts'
import { canEnforceReceiver } from '../../../src/domain/transfers/transfer-lookup.ts'

/** What a look-up says about the document and the name that its caller named, and whether two reports name one owner. */

const CPF = '52998224725'
const OTHER_CPF = '12345678909'
const CNPJ = '11222333000181'
const MAIL = 'maria@example.com'
const ownerOf = (document: string, name = 'Maria Souza') => ({ name, document })

test.each([
  ['none named', undefined, MAIL, CPF, 'UNKNOWN'],
  ['the same, formatted', CPF, MAIL, '529.982.247-25', 'MATCH'],
  ['another', OTHER_CPF, MAIL, CPF, 'MISMATCH'],
  ['masked, and it fits', CPF, MAIL, '529.***.***-25', 'UNKNOWN'],
  ['masked, and it contradicts', OTHER_CPF, MAIL, '529.***.***-25', 'MISMATCH'],
  ['a company for a masked person', CNPJ, MAIL, '***.982.247-**', 'UNKNOWN'],
  ['not reported', CPF, MAIL, '', 'UNKNOWN'],
  ['masked, of a key that is the document', CPF, CPF, '***.982.247-**', 'MATCH'],
  ['masked, of a key that is another document', CPF, OTHER_CPF, '***.982.247-**', 'MISMATCH'],
])('a document that is %s is %s', (_name, named, key, reported, match) => {
  expect(matchDocument(named, { key, owner: ownerOf(reported) })).toBe(match)
})

test.each([
  [undefined, 'Maria Souza', 'UNKNOWN'],
  ['Maria Souza', '', 'UNKNOWN'],
  ['Maria Souza', 'Mar** S****', 'UNKNOWN'],
  ['MARIA SOUZA', 'Mária de Souza', 'EXACT'],
  ['Loja da Ana', 'LOJA DA ANA LTDA.', 'EXACT'],
  ['Maria Souza', 'Maria Aparecida de Souza', 'PARTIAL'],
  ['Maria S.', 'Maria Souza', 'PARTIAL'],
  ['Maria Sou', 'Maria Souza', 'PARTIAL'],
  ['Souza', 'Maria Souza', 'NONE'],
  ['Maria Lima', 'Maria Souza', 'NONE'],
  ['***', 'Maria Souza', 'UNKNOWN'],
])('the name %s of %s is %s', (named, reported, match) => {
  expect(matchName(named, { name: reported })).toBe(match)
})

describe('a later report names', () => {
  test.each([
    ['the same owner by the document, whatever the name', ownerOf(CPF), ownerOf(CPF, 'M. SOUZA ME'), false],
    ['another by the document', ownerOf(CPF), ownerOf(OTHER_CPF), true],
    ['another by a masked document', ownerOf('529.***.***-25'), ownerOf('***.456.789-**', 'X'), true],
    ['the same by two masks that agree', ownerOf('529.***.***-25'), ownerOf('529.***.***-25'), false],
    ['another by two masks that differ', ownerOf('529.***.***-25'), ownerOf('529.***.***-09'), true],
    ['another by the name, where documents show nothing', ownerOf(''), ownerOf('', 'João Lima'), true],
    ['the same by the name, where documents show nothing', ownerOf(''), ownerOf('', 'Maria de Souza'), false],
  ])('%s', (_name, earlier, later, isOther) => {
    expect(isOtherOwner(earlier, later)).toBe(isOther)
    expect(isOtherOwner(later, earlier)).toBe(isOther)
  })
})

test('a receiver is enforced where a provider names the owner first, or compares a whole document', () => {
  const lookup = (document: string, onMismatch: 'REFUSE' | 'WARN' = 'REFUSE') => ({
    onMismatch,
    owner: ownerOf(document),
  })
  const names = { canLookUpKey: true, canCheckDocument: false }
  const compares = { canLookUpKey: false, canCheckDocument: true }
  const neither = { canLookUpKey: false, canCheckDocument: false }
  const orders = [
    {},
    { document: CPF },
    { lookup: lookup(CPF) },
    { lookup: lookup('***.982.247-**') },
    { lookup: lookup('***.982.247-**', 'WARN') },
    { document: CPF, lookup: lookup('***.982.247-**') },
  ]
  expect(orders.map(order => canEnforceReceiver(names, order))).toEqual([true, true, true, true, true, true])
  expect(orders.map(order => canEnforceReceiver(compares, order))).toEqual([
    true,
    true,
    true,
    false,
    true,
    true,
  ])
  expect(orders.map(order => canEnforceReceiver(neither, order))).toEqual([
    true,
    false,
    false,
    false,
    true,
    false,
  ])
})
