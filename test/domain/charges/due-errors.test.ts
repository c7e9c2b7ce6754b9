import { describe, expect, test } from '@jest/globals'
import { findDueErrors, selectDueCandidates } from '../../../src/domain/charges/due-errors.ts'
import type { DueModalities, DueTerms } from '../../../src/domain/charges/due-terms.ts'

const TERMS: DueTerms = {
  on: '2026-12-10',
  payableDaysAfter: 30,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
}
const percent = (basisPoints: number) => ({ type: 'PERCENTAGE' as const, basisPoints })
const fixed = (cents: number) => ({ type: 'FIXED' as const, cents })
const errorsOf = (terms: Partial<DueTerms>, valueCents: number | undefined = 10_000) =>
  findDueErrors({ terms: { ...TERMS, ...terms }, valueCents, today: '2026-12-01' })

describe('terms that are wrong whichever provider issues the charge', () => {
  test.each<[string, Partial<DueTerms>, string, string]>([
    ['due yesterday', { on: '2026-11-30' }, 'due.on', 'must not be before today in Brasília'],
    ['due in eleven years', { on: '2037-12-01' }, 'due.on', 'must be within ten years'],
    ['a fine of 100 %', { fine: percent(10_000) }, 'due.fine.value', 'must be at most 99.99 percent'],
    [
      'interest of 100 %',
      { interest: { ...percent(10_000), per: 'MONTH', days: 'CALENDAR' } },
      'due.interest.value',
      'must be at most 99.99 percent',
    ],
    [
      'an abatement of 100 %',
      { abatement: percent(10_000) },
      'due.abatement.value',
      'must be at most 99.99 percent',
    ],
    [
      'an abatement of the value',
      { abatement: fixed(10_000) },
      'due.abatement.value',
      'must be less than the value of the charge',
    ],
    [
      'a discount of 100 %',
      { discount: { kind: 'until', steps: [{ ...percent(10_000), on: '2026-12-05' }] } },
      'due.discount.until.0.value',
      'must be at most 99.99 percent',
    ],
    [
      'a discount a day of 100 %',
      { discount: { kind: 'per_day', rate: percent(10_000), days: 'CALENDAR' } },
      'due.discount.per_day.value',
      'must be at most 99.99 percent',
    ],
    [
      'a discount after the due day',
      { discount: { kind: 'until', steps: [{ ...percent(100), on: '2026-12-11' }] } },
      'due.discount.until.0.on',
      'must not be after the due day',
    ],
    [
      'two discounts of a day',
      {
        discount: {
          kind: 'until',
          steps: [
            { ...percent(100), on: '2026-12-05' },
            { ...percent(200), on: '2026-12-05' },
          ],
        },
      },
      'due.discount.until.1.on',
      'must not name a day twice',
    ],
    [
      'a discount that does not fall',
      {
        discount: {
          kind: 'until',
          steps: [
            { ...percent(200), on: '2026-12-08' },
            { ...percent(200), on: '2026-12-05' },
          ],
        },
      },
      'due.discount.until.0.value',
      'must be less than that of each earlier day',
    ],
    [
      'a discount of the value',
      { discount: { kind: 'until', steps: [{ ...fixed(10_000), on: '2026-12-05' }] } },
      'due.discount',
      'must leave something to be paid',
    ],
    [
      'a discount a day that takes all today',
      { discount: { kind: 'per_day', rate: percent(2_000), days: 'CALENDAR' } },
      'due.discount',
      'must leave something to be paid',
    ],
  ])('%s', (_, terms, field, message) => {
    expect(errorsOf(terms)).toEqual([{ field, message }])
  })

  test('a value of 0', () => {
    expect(errorsOf({}, 0)).toEqual([
      { field: 'value', message: 'must be above 0 where the charge has a due date' },
    ])
  })

  test('what depends on a value that could not be read is not judged', () => {
    expect(
      findDueErrors({
        terms: { ...TERMS, abatement: fixed(10_000) },
        valueCents: undefined,
        today: '2026-12-01',
      }),
    ).toEqual([])
  })

  test('due today, 99.99 % and a discount until the due day are allowed', () => {
    expect(
      errorsOf({
        on: '2026-12-01',
        fine: percent(9_999),
        discount: { kind: 'until', steps: [{ ...percent(9_999), on: '2026-12-01' }] },
      }),
    ).toEqual([])
  })
})

describe('candidates', () => {
  const ALL: DueModalities = {
    fine: ['FIXED', 'PERCENTAGE'],
    interest: ['PERCENTAGE_MONTH_CALENDAR'],
    abatement: ['FIXED', 'PERCENTAGE'],
    discount: ['FIXED_UNTIL', 'PERCENTAGE_UNTIL'],
    maxDiscountSteps: 3,
    needsAddress: false,
    revisable: 'all',
  }
  const NO_ABATEMENT = { ...ALL, abatement: [] }
  const NEEDS_ADDRESS = { ...ALL, needsAddress: true }
  const select = (modalities: (DueModalities | null)[], terms: Partial<DueTerms>, hasAddress = false) =>
    selectDueCandidates(
      modalities.map((_, index) => index),
      { ...TERMS, ...terms },
      { modalitiesOf: index => modalities[index]!, hasAddress },
    )

  test('those that lack a member are skipped', () => {
    const candidates = [null, NO_ABATEMENT, NEEDS_ADDRESS, ALL]
    expect(select(candidates, { abatement: fixed(100) })).toEqual({ capable: [3], errors: [] })
    expect(select(candidates, { abatement: fixed(100) }, true).capable).toEqual([2, 3])
  })

  test.each<[string, (DueModalities | null)[], string, string]>([
    [
      'none issues a due date',
      [null, null],
      'due',
      'no provider of this charge issues charges with a due date',
    ],
    [
      'one lacks a member and the others issue none',
      [null, NO_ABATEMENT],
      'due.abatement',
      'no provider of this charge computes this abatement',
    ],
    ['one needs an address', [NEEDS_ADDRESS], 'debtor.address', 'is needed by every provider of this charge'],
    [
      'each lacks something else',
      [NEEDS_ADDRESS, NO_ABATEMENT],
      'debtor.address',
      'is needed by every provider of this charge that computes the rest',
    ],
  ])('the member is named where %s', (_, candidates, field, message) => {
    const { capable, errors } = select(candidates, { abatement: fixed(100) })
    expect([capable, errors]).toEqual([[], [{ field, message }]])
  })

  test('all that the provider lacks is named at once', () => {
    const { errors } = select([{ ...NO_ABATEMENT, fine: [], needsAddress: true }], {
      abatement: fixed(100),
      fine: fixed(100),
    })
    expect(errors.map(({ field }) => field)).toEqual(['due.fine', 'due.abatement', 'debtor.address'])
  })
})
