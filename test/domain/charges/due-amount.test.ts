import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import { computeAmountDue, findDueEnd } from '../../../src/domain/charges/due-amount.ts'
import {
  DAY_COUNTS,
  type DueDiscount,
  type DueTerms,
  type FixedOrPercentage,
  INTEREST_PERIODS,
} from '../../../src/domain/charges/due-terms.ts'
import { MAX_CENTS } from '../../../src/domain/ledger/money.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import vectors from './due-amount-vectors.json' with { type: 'json' }

const terms = (on: string, overrides: Partial<DueTerms> = {}): DueTerms => ({
  on,
  payableDaysAfter: 30,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
  ...overrides,
})

describe('what a charge costs on a day', () => {
  test('is 105.00 in the example of the Central Bank: 100.00, two days late, 3 % and 1 % a day', () => {
    const late = terms('2026-06-09', {
      fine: { type: 'PERCENTAGE', basisPoints: 300 },
      interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'DAY', days: 'CALENDAR' },
    })
    expect(computeAmountDue(10_000, late, '2026-06-11')).toEqual({
      originalCents: 10_000,
      fineCents: 300,
      interestCents: 200,
      discountCents: 0,
      abatementCents: 0,
      totalCents: 10_500,
    })
  })

  test('is not late on Monday where the due day is a Saturday, and one day late on Tuesday', () => {
    const saturday = terms('2026-06-06', {
      fine: { type: 'FIXED', cents: 500 },
      interest: { type: 'FIXED', cents: 10, per: 'DAY', days: 'CALENDAR' },
    })
    expect(computeAmountDue(1_000, saturday, '2026-06-08').totalCents).toBe(1_000)
    expect(computeAmountDue(1_000, saturday, '2026-06-09').totalCents).toBe(1_510)
  })

  test('has 10.00 of interest on 30,000.00 one day late at 1 % a month', () => {
    const monthly = terms('2024-09-04', {
      interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'MONTH', days: 'CALENDAR' },
    })
    expect(computeAmountDue(3_000_000, monthly, '2024-09-05').interestCents).toBe(1_000)
  })

  // 25 January is a holiday in São Paulo, and 23 April in the state of Rio de Janeiro.
  test.each(['2027-01-25', '2027-04-23'])('knows no holiday of a state or municipality: %s', on => {
    const fined = terms(on, { fine: { type: 'FIXED', cents: 200 } })
    expect(computeAmountDue(10_000, fined, addDays(on, 1)).fineCents).toBe(200)
  })

  test('has the discount of a holiday until the next business day', () => {
    const steps = terms('2021-04-12', {
      discount: {
        kind: 'until',
        steps: [
          { type: 'FIXED', cents: 200, on: '2021-04-05' },
          { type: 'FIXED', cents: 300, on: '2021-04-02' },
        ],
      },
    })
    expect(computeAmountDue(10_000, steps, '2021-04-05').discountCents).toBe(300)
    expect(computeAmountDue(10_000, steps, '2021-04-06').discountCents).toBe(0)
  })

  test('is never below zero, however early it is paid', () => {
    const early = terms('2026-06-09', {
      abatement: { type: 'PERCENTAGE', basisPoints: 5_000 },
      discount: { kind: 'per_day', rate: { type: 'FIXED', cents: 400 }, days: 'CALENDAR' },
    })
    expect(computeAmountDue(10_000, early, '2026-01-02')).toMatchObject({
      discountCents: 5_000,
      totalCents: 0,
    })
  })
})

describe('the last day on which a charge can be paid', () => {
  test.each([
    ['A', '2020-10-20', 4, '2020-10-26'],
    ['B', '2020-12-25', 0, '2020-12-28'],
    ['C', '2020-12-25', 1, '2020-12-29'],
    ['D', '2020-12-25', 3, '2020-12-31'],
    ['E', '2020-12-25', 4, '2021-01-04'],
    ['F', '2021-08-27', 5, '2021-09-01'],
    ['G', '2021-08-28', 5, '2021-09-06'],
  ])('of example %s of the pix-api', (_name, on, payableDaysAfter, expected) => {
    expect(findDueEnd(terms(on, { payableDaysAfter }))).toBe(expected)
  })
})

/** Writes the vectors; it shares nothing with the code under test. */
const VECTOR_SCRIPT = fileURLToPath(new URL('due-amount-vectors.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

describe('an independent reading in Python agrees', () => {
  test('on at least 60 days', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(60)
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
  })

  test.each(vectors.map(vector => [vector.name, vector] as const))('%s', (_name, vector) => {
    const vectorTerms = vector.terms as DueTerms
    const { expected } = vector
    expect(computeAmountDue(expected.originalCents, vectorTerms, vector.day)).toEqual(expected)
    expect(findDueEnd(vectorTerms)).toBe(vector.end)
  })

  const testWithPython = hasPython ? test : test.skip
  testWithPython('and still prints the vectors', () => {
    const printed = execFileSync('python3', [VECTOR_SCRIPT], { encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual(vectors)
  })
})

describe('for every charge', () => {
  const random = createSeededRandom(20_260_609)
  const chooseFrom = <T>(values: readonly T[]): T => values[random.upTo(values.length - 1)]!
  const createAmount = (valueCents: number): FixedOrPercentage =>
    random.upTo(1) === 0
      ? { type: 'FIXED', cents: 1 + random.upTo(valueCents) }
      : { type: 'PERCENTAGE', basisPoints: 1 + random.upTo(9_998) }
  const createDiscount = (valueCents: number, on: string): DueDiscount => {
    if (random.upTo(1) === 0)
      return { kind: 'per_day', rate: createAmount(valueCents), days: chooseFrom(DAY_COUNTS) }
    const steps = Array.from({ length: 1 + random.upTo(2) }, () => ({
      ...createAmount(valueCents),
      on: addDays(on, -random.upTo(40)),
    }))
    return { kind: 'until', steps }
  }
  const createTerms = (valueCents: number): DueTerms => {
    const on = addDays('2024-01-01', random.upTo(2_400))
    const maybe = <T>(create: () => T): T | null => (random.upTo(2) === 0 ? null : create())
    return {
      on,
      payableDaysAfter: random.upTo(365),
      fine: maybe(() => createAmount(valueCents)),
      interest: maybe(() => ({
        ...createAmount(valueCents),
        per: chooseFrom(INTEREST_PERIODS),
        days: chooseFrom(DAY_COUNTS),
      })),
      abatement: maybe(() => createAmount(valueCents)),
      discount: maybe(() => createDiscount(valueCents, on)),
    }
  }

  const charges = Array.from({ length: 300 }, () => {
    const valueCents = 1 + random.upTo(chooseFrom([100, 100_000, MAX_CENTS - 1]))
    const chargeTerms = createTerms(valueCents)
    const firstDay = addDays(chargeTerms.on, -45)
    const days = Array.from({ length: 100 }, (_, offset) => addDays(firstDay, offset))
    return { chargeTerms, valueCents, days }
  })

  test('the parts sum up to a total of zero or more', () => {
    const isWrong = (valueCents: number, chargeTerms: DueTerms, day: string) => {
      const { totalCents, ...parts } = computeAmountDue(valueCents, chargeTerms, day)
      const added = parts.originalCents + parts.fineCents + parts.interestCents
      const isAmount = (cents: number) => Number.isSafeInteger(cents) && cents >= 0
      const isSum = totalCents === added - parts.discountCents - parts.abatementCents
      return !isSum || ![totalCents, ...Object.values(parts)].every(isAmount)
    }
    const wrong = charges.flatMap(({ chargeTerms, valueCents, days }) =>
      days
        .filter(day => isWrong(valueCents, chargeTerms, day))
        .map(day => ({ chargeTerms, valueCents, day })),
    )
    expect(wrong).toEqual([])
  })

  test('the amount never falls from the due day on', () => {
    for (const { chargeTerms, valueCents, days } of charges) {
      const dueDay = findBusinessDay(chargeTerms.on)
      const totals = days
        .filter(day => day >= dueDay)
        .map(day => computeAmountDue(valueCents, chargeTerms, day).totalCents)
      expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    }
  })

  test('a payment by the end of the due day has neither fine nor interest', () => {
    for (const { chargeTerms, valueCents } of charges)
      expect(computeAmountDue(valueCents, chargeTerms, findBusinessDay(chargeTerms.on))).toMatchObject({
        fineCents: 0,
        interestCents: 0,
      })
  })
})
