import { getPixKeyInfo } from '@brazilian-utils/brazilian-utils/get-pix-key-info'
import { describe, expect, test } from '@jest/globals'
import { detectPixKeyType, normalizePixKey } from '../../../src/domain/pix-keys/key-format.ts'
import {
  EXISTING_KEY_STATES,
  LISTED_KEY_STATES,
  type PixKeyEvent,
  type PixKeyState,
  pixKeyMachine,
} from '../../../src/domain/pix-keys/pix-key.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'
import vectors from '../support/vectors.json' with { type: 'json' }

const EVP = '123e4567-e12b-12d1-a456-426655440000'
const domainOf = (length: number) => `${'d'.repeat(40)}.${'c'.repeat(length - 41)}`

const KEYS: [key: string, type: string][] = [
  ...vectors.cpf_valid.map((v): [string, string] => [v, 'DOCUMENT']),
  ...vectors.cnpj_valid.map(({ v }): [string, string] => [v, 'DOCUMENT']),
  ['+5511987654321', 'PHONE'],
  ['+5599900000000', 'PHONE'],
  ['pix@bcb.gov.br', 'EMAIL'],
  ['ac03-later@sim.trilho.test', 'EMAIL'],
  ["o'neil+pix.1@banco-x.com", 'EMAIL'],
  [`a@${domainOf(75)}`, 'EMAIL'],
  [EVP, 'RANDOM'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 'RANDOM'],
]

describe('a key has one type, and is its own normal form', () => {
  test.each(KEYS)('%s is %s', (key, type) => {
    expect(detectPixKeyType(key)).toBe(type)
    expect(normalizePixKey(key)).toBe(key)
  })
})

describe('not a PIX key', () => {
  test.each([
    ...vectors.cpf_invalid,
    ...vectors.cnpj_invalid,
    '',
    '11987654321',
    '5511987654321',
    '+5510998765432',
    '+5511887654321',
    '+551187654321',
    '+55119876543210',
    '+55 11987654321',
    '+14155552671',
    'Pix@bcb.gov.br',
    'pix@bcb.gov.br\n',
    'pix@bcb..br',
    'pix@-bcb.br',
    '@bcb.gov.br',
    'a&b@bcb.gov.br',
    'a%b@bcb.gov.br',
    'josé@bcb.gov.br',
    `a@${domainOf(76)}`,
    EVP.toUpperCase(),
    EVP.replaceAll('-', ''),
    `{${EVP}}`,
    '123e4567-e12b-12d1-a456-42665544000g',
    '529.982.247-25',
  ])('%j', key => expect(detectPixKeyType(key)).toBeNull())
})

test.each([
  ['Pix@BCB.gov.br', 'pix@bcb.gov.br'],
  [EVP.toUpperCase(), EVP],
  ['12abc34501de35', '12ABC34501DE35'],
  ['529.982.247-25', '529.982.247-25'],
  ['12ABC34501DE36', '12ABC34501DE36'],
  ['Not A Key', 'Not A Key'],
  ['pi\u212A@bcb.gov.br', 'pi\u212A@bcb.gov.br'],
])('%j is normalised to %j', (key, normalized) => expect(normalizePixKey(key)).toBe(normalized))

test('an independent library parses and normalises the same keys', () => {
  const TYPES = { cpf: 'DOCUMENT', cnpj: 'DOCUMENT', email: 'EMAIL', phone: 'PHONE', evp: 'RANDOM' }
  for (const [key, type] of KEYS) {
    const theirs = getPixKeyInfo(key)
    expect([key, theirs && TYPES[theirs.type], theirs?.value]).toEqual([key, type, key])
  }
})

describe('the state machine of a PIX key (SPEC §9)', () => {
  testStateMachine<PixKeyState, 'true' | 'false', PixKeyEvent>(pixKeyMachine, {
    events: ['created', 'refused', 'removal_requested', 'kept', 'removed'],
    expected: {
      creating: { shows: 'false', over: false, steps: { created: 'active', refused: 'refused' } },
      active: { shows: 'true', over: true, steps: { removal_requested: 'removing' } },
      removing: { shows: 'false', over: false, steps: { removed: 'removed', kept: 'active' } },
      removed: { shows: 'false', over: true, steps: {} },
      refused: { shows: 'false', over: true, steps: {} },
    },
  })

  test('a key occupies its place until its absence is certain', () => {
    const ended = pixKeyMachine.states.filter(state => !EXISTING_KEY_STATES.includes(state))
    expect(ended).toEqual(['removed', 'refused'])
    expect(EXISTING_KEY_STATES).toEqual(expect.arrayContaining([...LISTED_KEY_STATES]))
  })
})
