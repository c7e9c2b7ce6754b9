import { describe, expect, test } from '@jest/globals'
import * as identifiers from '../../../src/domain/pix/identifiers.ts'
import vectors from '../support/vectors.json' with { type: 'json' }

const {
  buildEndToEndId: endToEndId,
  isEndToEndId,
  isReturnId,
  isUuid,
  referenceOf,
  buildReturnId: returnId,
  uuidFromReference: uuidOf,
  uuidFromHash: uuidOfHash,
} = identifiers
const UUID = '0197f6a1-5b3c-7def-8abc-0123456789ab'
const PARTS = { ispb: '12345678', at: '2026-09-28T14:35:00.000Z', suffix: 'abcDEF12345' }

describe('rail ids of the vectors', () => {
  test.each(vectors.e2e_valid)('%s is an end-to-end id', id => {
    expect([isEndToEndId(id), isReturnId(id)]).toEqual([true, false])
  })
  test.each(vectors.rtr_valid)('%s is a return id', id => {
    expect([isEndToEndId(id), isReturnId(id)]).toEqual([false, true])
  })
  test.each(vectors.e2e_invalid)('%s is neither', id => {
    expect([isEndToEndId(id), isReturnId(id)]).toEqual([false, false])
  })
})

describe('the minute in a rail id exists', () => {
  test.each([
    ['202601010000', true],
    ['202612312359', true],
    ['202402290000', true],
    ['202602290000', false],
    ['200002290000', true],
    ['210002290000', false],
    ['202604310000', false],
    ['202600010000', false],
    ['202613010000', false],
    ['202601000000', false],
    ['202601320000', false],
    ['202601012400', false],
    ['202601010060', false],
  ])('%s: %s', (minute, exists) => {
    expect(isEndToEndId(`E12345678${minute}abcDEF12345`)).toBe(exists)
    expect(isReturnId(`D12345678${minute}abcDEF12345`)).toBe(exists)
  })
})

test.each([
  '',
  'E12345678202609281435abcDEF1234',
  'E12345678202609281435abcDEF123456',
  'E12345678202609281435abcDEF1234\n',
  'E1234567a202609281435abcDEF12345',
  'E12345678202609281435abcDEF1234é',
  'X12345678202609281435abcDEF12345',
])('%j is no rail id', id => expect([isEndToEndId(id), isReturnId(id)]).toEqual([false, false]))

test('a rail id is its letter, ISPB, minute and suffix', () => {
  expect(endToEndId(PARTS)).toBe('E12345678202609281435abcDEF12345')
  expect(returnId(PARTS)).toBe('D12345678202609281435abcDEF12345')
  expect(endToEndId({ ...PARTS, ispb: '99999A03', at: '2026-09-28T14:35Z' })).toBe(vectors.e2e_valid.at(-1))
})

test('a rail id built for any minute is valid', () => {
  for (let at = Date.UTC(2023, 11, 25); at < Date.UTC(2028, 2, 5); at += 41_234_567) {
    const parts = { ...PARTS, at: new Date(at).toISOString() }
    expect([endToEndId(parts), isEndToEndId(endToEndId(parts))]).toEqual([endToEndId(parts), true])
    expect([returnId(parts), isReturnId(returnId(parts))]).toEqual([returnId(parts), true])
  }
})

test.each([
  { ispb: '1234567' },
  { ispb: '123456789' },
  { ispb: '123456789', suffix: 'abcDEF1234' },
  { ispb: '1234567x' },
  { at: '2026-09-28T14:35:00-03:00' },
  { at: '2026-09-28T14:35:00' },
  { at: '2026-13-28T14:35:00Z' },
  { at: 'now' },
  { suffix: 'abcDEF1234' },
  { suffix: 'abcDEF123456' },
  { suffix: 'abcDEF1234-' },
])('no rail id is built from %j', wrong => {
  expect(() => endToEndId({ ...PARTS, ...wrong })).toThrow(RangeError)
  expect(() => returnId({ ...PARTS, ...wrong })).toThrow(RangeError)
})

describe('a reference is the uuid without hyphens', () => {
  test('and converts back to it', () => {
    expect(referenceOf(UUID)).toBe('0197f6a15b3c7def8abc0123456789ab')
    expect(uuidOf(referenceOf(UUID))).toBe(UUID)
  })
  test('it fits the txid of a charge and the id of a devolução', () => {
    expect(referenceOf(UUID)).toMatch(/^[a-zA-Z0-9]{26,35}$/)
  })
  test.each(['', UUID, UUID.toUpperCase().replaceAll('-', ''), `${referenceOf(UUID)}0`, 'pedido123'])(
    '%j is not one of our references',
    text => expect(uuidOf(text)).toBeNull(),
  )
  test.each(['', UUID.toUpperCase(), referenceOf(UUID), `${UUID}\n`, ` ${UUID}`, UUID.replace('a', 'g')])(
    '%j is not a uuid',
    text => {
      expect(isUuid(text)).toBe(false)
      expect(() => referenceOf(text)).toThrow(RangeError)
    },
  )
  test.each([UUID, '00000000-0000-0000-0000-000000000000'])('%s is a uuid', text =>
    expect(isUuid(text)).toBe(true),
  )
})

test('a hash yields one uuid, of version 8 and variant 10, whatever follows its first 16 bytes', () => {
  const hash = Uint8Array.from({ length: 32 }, (_, place) => 0xff - place)
  expect(uuidOfHash(hash)).toBe('fffefdfc-fbfa-89f8-b7f6-f5f4f3f2f1f0')
  expect(uuidOfHash(hash.subarray(0, 16))).toBe(uuidOfHash(hash))
  expect(isUuid(uuidOfHash(new Uint8Array(16)))).toBe(true)
})
