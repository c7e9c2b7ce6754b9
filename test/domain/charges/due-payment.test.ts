import { describe, expect, test } from '@jest/globals'
import {
  type DuePayment,
  findDueExpiry,
  matchDueVersion,
  sumPaidParts,
} from '../../../src/domain/charges/due-payment.ts'
import type { DueTerms, PaidParts } from '../../../src/domain/charges/due-terms.ts'

/** Due on Thursday, 10 December 2026: 5 % off until the 7th, then 2 % and 1 % a month. */
const TERMS: DueTerms = {
  on: '2026-12-10',
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 200 },
  interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'MONTH', days: 'CALENDAR' },
  abatement: null,
  discount: { kind: 'until', steps: [{ type: 'PERCENTAGE', basisPoints: 500, on: '2026-12-07' }] },
}
const STORED = { totalCents: 100_000, due: TERMS }
const REVISED = { totalCents: 90_000, due: TERMS }

/** Noon in Brasília. */
const noonOf = (day: string) => `${day}T15:00:00.000Z`
const paid = (cents: number, at = noonOf('2026-12-09'), parts?: PaidParts): DuePayment => ({
  cents,
  at,
  ...(parts && { parts }),
})
const NO_PARTS = { fineCents: 0, interestCents: 0, discountCents: 0, abatementCents: 0 }

describe('without parts, a payment', () => {
  test.each([
    ['of the value before the due day', paid(100_000), true],
    ['10 centavos below the forecast', paid(99_990), true],
    ['10 centavos above the forecast', paid(100_010), true],
    ['11 centavos below the forecast', paid(99_989), false],
    ['11 centavos above the forecast', paid(100_011), false],
    ['with the discount on its last day', paid(95_000, noonOf('2026-12-07')), true],
    ['with the discount a day late', paid(95_000, noonOf('2026-12-08')), false],
    [
      'with the discount that was paid in the last second of its day and settled in the next',
      paid(95_000, '2026-12-08T03:00:20.000Z'),
      true,
    ],
    ['without the discount in the first minute after it', paid(100_000, '2026-12-08T03:00:20.000Z'), true],
    ['with the discount two minutes after its last day', paid(95_000, '2026-12-08T03:02:00.000Z'), false],
    ['with fine and interest of a day', paid(102_033, noonOf('2026-12-11')), true],
    ['of the value after the due day', paid(100_000, noonOf('2026-12-11')), false],
  ] as const)('%s pays the charge or not', (_, payment, isPaid) => {
    expect(matchDueVersion([STORED], payment)).toEqual(isPaid ? { version: STORED, parts: null } : null)
  })
})

describe('what the provider reports', () => {
  const parts = { originalCents: 100_000, ...NO_PARTS, interestCents: 5_000 }

  test('is the truth, however far from the forecast', () => {
    expect(matchDueVersion([STORED], paid(105_000, noonOf('2026-12-09'), parts))).toEqual({
      version: STORED,
      parts,
    })
  })

  test('is not believed where it does not add up', () => {
    expect(matchDueVersion([STORED], paid(104_999, noonOf('2026-12-09'), parts))).toBeNull()
    expect(matchDueVersion([STORED], paid(100_000, noonOf('2026-12-09'), parts))).toEqual({
      version: STORED,
      parts: null,
    })
  })

  test('is not believed where it starts from another value', () => {
    const other = { originalCents: 70_000, ...NO_PARTS }
    expect(matchDueVersion([STORED], paid(70_000, noonOf('2026-12-09'), other))).toBeNull()
  })

  test('says which version of the charge was paid', () => {
    const discounted = { originalCents: 100_000, ...NO_PARTS, discountCents: 10_000 }
    const payment = paid(90_000, noonOf('2026-12-09'), discounted)
    expect(matchDueVersion([STORED, REVISED], payment)?.version).toBe(STORED)
  })
})

describe('of a charge with a revision whose answer is missing', () => {
  test.each([
    ['the value before it', 100_000, STORED],
    ['the value after it', 90_000, REVISED],
    ['neither', 95_000, null],
  ] as const)('a payment of %s pays that version', (_, cents, version) => {
    expect(matchDueVersion([STORED, REVISED], paid(cents))?.version ?? null).toBe(version)
  })

  test('the stored version is paid where both ask the same', () => {
    const sameValue = { totalCents: 100_000, due: { ...TERMS, payableDaysAfter: 60 } }
    expect(matchDueVersion([STORED, sameValue], paid(100_000))?.version).toBe(STORED)
  })

  test('the nearer terms are paid where parts fit both', () => {
    const later = { totalCents: 100_000, due: { ...TERMS, on: '2026-12-17' } }
    const parts = { originalCents: 100_000, ...NO_PARTS }
    const payment = paid(100_000, noonOf('2026-12-15'), parts)
    expect(matchDueVersion([STORED, later], payment)).toEqual({ version: later, parts })
  })
})

describe('of two versions of one value, the reported parts say which was paid', () => {
  const abated = {
    totalCents: 100_000,
    due: { ...TERMS, abatement: { type: 'FIXED', cents: 1_429 } as const },
  }
  const plain = { totalCents: 100_000, due: { ...TERMS, fine: null, interest: null, discount: null } }
  const original = { originalCents: 100_000, ...NO_PARTS }
  test.each<[string, { totalCents: number; due: DueTerms }, string, PaidParts]>([
    ['by its abatement', abated, '2026-12-09', { ...original, abatementCents: 1_429 }],
    ['by no abatement', plain, '2026-12-09', original],
    // 2 % and a day of 1 % a month of R$ 985.71.
    [
      'by its fine, though another day was computed',
      abated,
      '2026-12-09',
      { ...original, abatementCents: 1_429, fineCents: 1_971, interestCents: 33 },
    ],
    // The total of the plain one is nearer.
    [
      'by parts whose sum is the other total',
      abated,
      '2026-12-11',
      { ...original, abatementCents: 1_429, fineCents: 1_429 },
    ],
    [
      'by no fine on the day after a local holiday',
      abated,
      '2026-12-11',
      { ...original, abatementCents: 1_429 },
    ],
  ])('%s', (_, version, day, parts) => {
    const payment = paid(sumPaidParts(parts), noonOf(day), parts)
    for (const versions of [
      [abated, plain],
      [plain, abated],
    ])
      expect(matchDueVersion(versions, payment)).toEqual({ version, parts })
  })
})

test('parts add up to original, fine and interest less discount and abatement', () => {
  const parts = {
    originalCents: 1_000,
    fineCents: 20,
    interestCents: 3,
    discountCents: 100,
    abatementCents: 50,
  }
  expect(sumPaidParts(parts)).toBe(873)
})

test.each([
  ['the last payable day', { ...TERMS, payableDaysAfter: 5 }, '2026-12-16T03:00:00.000Z'],
  ['the next business day where that is none', { ...TERMS, payableDaysAfter: 2 }, '2026-12-15T03:00:00.000Z'],
] as const)('a payload expires at the end of %s in Brasília', (_, terms, expiry) => {
  expect(findDueExpiry(terms).toISOString()).toBe(expiry)
})
