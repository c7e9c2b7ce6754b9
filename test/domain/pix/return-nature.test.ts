import { describe, expect, test } from '@jest/globals'
import { isIspb, normalizeIspb } from '../../../src/domain/pix/ispb.ts'
import {
  isDisputeNature,
  mayFollowPix,
  type PixReturnNature,
  RETURN_NATURE_CODES,
  readReturnNature,
} from '../../../src/domain/pix/return-nature.ts'

const NATURES = Object.keys(RETURN_NATURE_CODES) as PixReturnNature[]

describe('the natures of a devolução (pix-api 2.9.0)', () => {
  test('each has the reason of the rail', () => {
    expect(RETURN_NATURE_CODES).toEqual({
      ORIGINAL: 'MD06',
      RETIRADA: 'SL02',
      MED_OPERACIONAL: 'BE08',
      MED_FRAUDE: 'FR01',
      MED_PIX_AUTOMATICO: 'REFU',
    })
  })

  test.each([
    ['common', ['ORIGINAL', 'MED_OPERACIONAL', 'MED_FRAUDE']],
    ['withdrawal', ['RETIRADA']],
    ['change', ['ORIGINAL', 'RETIRADA']],
    ['automatic', ['ORIGINAL', 'MED_FRAUDE', 'MED_PIX_AUTOMATICO']],
  ] as const)('what may follow a PIX that is %s', (kind, allowed) => {
    expect(NATURES.filter(nature => mayFollowPix(kind, nature))).toEqual(allowed)
  })

  test.each([
    [undefined, 'ORIGINAL', false],
    [null, 'ORIGINAL', false],
    ['', 'ORIGINAL', false],
    ['ORIGINAL', 'ORIGINAL', false],
    ['RETIRADA', 'RETIRADA', false],
    ['MED_FRAUDE', 'MED_FRAUDE', true],
    ['med_operacional', 'MED_OPERACIONAL', true],
    ['MED_PIX_AUTOMATICO', 'MED_PIX_AUTOMATICO', true],
    ['MED_NOVA', null, true],
    ['OUTRA', null, false],
    ['constructor', null, false],
  ] as const)('%p is read as %p; of a dispute: %p', (text, nature, isOfDispute) => {
    expect(readReturnNature(text)).toBe(nature)
    expect(isDisputeNature(text)).toBe(isOfDispute)
  })
})

test.each([
  ['30680829', '30680829', true],
  ['12ab34cd', '12AB34CD', true],
  ['ABCDEFGH', 'ABCDEFGH', true],
  ['1234567', '1234567', false],
  ['123456789', '123456789', false],
  ['1234567-', '1234567-', false],
  ['1234567ſ', '1234567ſ', false],
])('the ISPB %s is read as %s', (text, normalised, isValid) => {
  expect(normalizeIspb(text)).toBe(normalised)
  expect(isIspb(normalizeIspb(text))).toBe(isValid)
})
