import { describe, expect, test } from '@jest/globals'
import {
  buildEndToEndId as endToEndId,
  isEndToEndId,
  isReturnId,
  buildReturnId as returnId,
} from '../../packages/simulator/ids.ts'
import vectors from '../domain/support/vectors.json' with { type: 'json' }

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
