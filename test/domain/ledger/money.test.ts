import { describe, expect, test } from '@jest/globals'
import * as money from '../../../src/domain/ledger/money.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import vectors from '../support/vectors.json' with { type: 'json' }

const {
  centsFromReais,
  centsFromText,
  computeFeeCents: feeOf,
  MAX_CENTS: MOST_CENTS,
  NO_FEES,
  reaisFromCents,
  computeShareCents: shareOf,
  centsFromSumText: sumFromText,
  textFromCents,
} = money
const TIMES = 5_000

describe('reais as a JSON number', () => {
  test.each(vectors.money_json_number_to_centavos as [number, number | null][])(
    '%d is %s',
    (reais, cents) => {
      expect(centsFromReais(reais)).toBe(cents)
    },
  )
  test.each([
    [0, 0],
    [-0, 0],
    [0.01, 1],
    [0.1, 10],
    [1, 100],
    [1e2, 10_000],
    [9_999_999_999.99, MOST_CENTS],
    [10_000_000_000, null],
    [0.001, null],
    [-0.01, null],
    [-1, null],
    [1e21, null],
    [1e-7, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [Number.MAX_SAFE_INTEGER, null],
    [0.1 + 0.2, null],
  ])('%d is %s', (reais, cents) => expect(centsFromReais(reais)).toBe(cents))

  test('a written amount is parsed to the same amount', () => {
    const random = createSeededRandom(1)
    for (let time = 0; time < TIMES; time++) {
      const cents = random.upTo(MOST_CENTS)
      expect(centsFromReais(reaisFromCents(cents))).toBe(cents)
      expect(centsFromReais(JSON.parse(JSON.stringify({ value: reaisFromCents(cents) })).value)).toBe(cents)
    }
  })
})

describe('a text with two decimals', () => {
  test.each([
    ['0.00', 0],
    ['12.34', 1_234],
    ['0012.34', 1_234],
    ['9999999999.99', MOST_CENTS],
    ['10000000000.00', null],
    ['12.3', null],
    ['12', null],
    ['.34', null],
    ['12.345', null],
    ['-1.00', null],
    ['+1.00', null],
    ['1,00', null],
    ['1e2.00', null],
    [' 1.00', null],
    ['1.00\n', null],
    ['１.00', null],
    ['', null],
  ])('%j is %s', (text, cents) => expect(centsFromText(text)).toBe(cents))

  test.each([
    ['0.00', 0],
    ['12.34', 1_234],
    ['9999999999.99', MOST_CENTS],
    ['10000000000.00', MOST_CENTS + 1],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
    ['90071992547409.92', null],
    ['123456789012345678901.00', null],
    ['12.3', null],
    ['-1.00', -100],
    ['-0.00', 0],
    ['--1.00', null],
    ['1,00', null],
    ['', null],
  ])('%j is a sum of %s', (text, cents) => expect(sumFromText(text)).toBe(cents))

  test.each([
    [0, '0.00'],
    [1, '0.01'],
    [10, '0.10'],
    [100, '1.00'],
    [-1, '-0.01'],
    [-12_345, '-123.45'],
    [MOST_CENTS, '9999999999.99'],
  ])('%d is written %s', (cents, text) => {
    expect(textFromCents(cents)).toBe(text)
    expect(reaisFromCents(cents)).toBe(Number(text))
  })

  test('a written amount is parsed to the same amount', () => {
    const random = createSeededRandom(2)
    for (let time = 0; time < TIMES; time++) {
      const cents = random.upTo(MOST_CENTS)
      expect(centsFromText(textFromCents(cents))).toBe(cents)
    }
  })
})

describe('a share', () => {
  test.each([
    [10_000, 10_000, 10_000],
    [10_000, 0, 0],
    [0, 10_000, 0],
    [1, 9_999, 0],
    [3, 3_333, 0],
    [100, 3_333, 33],
    [9_999, 1, 0],
    [10_000, 1, 1],
    [MOST_CENTS, 10_000, MOST_CENTS],
    [MOST_CENTS, 9_999, 999_899_999_999],
    [MOST_CENTS, 1, 99_999_999],
  ])('of %d at %d hundredths of a percent is %d', (cents, percent, share) =>
    expect(shareOf(cents, percent)).toBe(share),
  )

  test('is exact where the product exceeds the safe integers', () => {
    const random = createSeededRandom(3)
    for (let time = 0; time < TIMES; time++) {
      const cents = random.upTo(2 * MOST_CENTS)
      const percent = random.upTo(10_000)
      expect(shareOf(cents, percent)).toBe(Number((BigInt(cents) * BigInt(percent)) / 10_000n))
    }
  })
})

describe('a fee', () => {
  test.each([
    [10_000, { fixedCents: 0, hundredthsOfPercent: 0 }, 0],
    [10_000, { fixedCents: 35, hundredthsOfPercent: 0 }, 35],
    [10_000, { fixedCents: 0, hundredthsOfPercent: 99 }, 99],
    [10_000, { fixedCents: 35, hundredthsOfPercent: 99 }, 134],
    [49, { fixedCents: 0, hundredthsOfPercent: 100 }, 0],
    [50, { fixedCents: 0, hundredthsOfPercent: 100 }, 1],
    [149, { fixedCents: 0, hundredthsOfPercent: 100 }, 1],
    [150, { fixedCents: 0, hundredthsOfPercent: 100 }, 2],
    [MOST_CENTS, { fixedCents: 0, hundredthsOfPercent: 10_000 }, MOST_CENTS],
    [0, { fixedCents: 7, hundredthsOfPercent: 100 }, 7],
  ])('of %d by %j is %d', (cents, fee, is) => expect(feeOf(cents, fee)).toBe(is))

  test('is rounded half up, for every amount', () => {
    const random = createSeededRandom(4)
    for (let time = 0; time < TIMES; time++) {
      const cents = random.upTo(MOST_CENTS)
      const fee = { fixedCents: random.upTo(1_000), hundredthsOfPercent: random.upTo(10_000) }
      const product = BigInt(cents) * BigInt(fee.hundredthsOfPercent)
      expect(feeOf(cents, fee)).toBe(fee.fixedCents + Number((product + 5_000n) / 10_000n))
    }
  })

  test('of a new connection is zero', () => {
    for (const fee of Object.values(NO_FEES)) expect(feeOf(MOST_CENTS, fee)).toBe(0)
  })
})
