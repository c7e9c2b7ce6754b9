import { describe, expect, test } from '@jest/globals'
import {
  type ChargeSplit,
  computeSplitCredits,
  computeSplitShareCents,
  findSplitErrors,
  findSplitSumError,
  HUNDRED_PERCENT,
  type PartialSplit,
  type SplitEvent,
  type SplitStatus,
  splitMachine,
} from '../../../src/domain/charges/split.ts'
import { MAX_CENTS } from '../../../src/domain/ledger/money.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

describe('the state of a split', () =>
  testStateMachine<SplitStatus, SplitStatus, SplitEvent>(splitMachine, {
    events: ['credited', 'not_creditable'],
    expected: {
      PENDING: { shows: 'PENDING', over: false, steps: { credited: 'CREDITED', not_creditable: 'FAILED' } },
      CREDITED: { shows: 'CREDITED', over: true, steps: {} },
      FAILED: { shows: 'FAILED', over: true, steps: {} },
    },
  }))

const percent = (amount: number, recipientAccountUuid = 'a'): ChargeSplit => ({
  type: 'PERCENTAGE',
  amount,
  recipientAccountUuid,
})
const fixed = (amount: number, recipientAccountUuid = 'a'): ChargeSplit => ({
  type: 'FIXED',
  amount,
  recipientAccountUuid,
})

describe('invalid splits, whatever the value', () => {
  test.each<[string, PartialSplit[], string[]]>([
    ['nothing', [], []],
    ['the whole for one', [percent(HUNDRED_PERCENT)], []],
    ['the whole for two', [percent(5_000), percent(5_000, 'b')], []],
    ['more than the whole for one', [percent(HUNDRED_PERCENT + 1)], ['splits.0.value', 'splits']],
    ['more than the whole together', [percent(5_000), percent(5_001, 'b')], ['splits']],
    ['one recipient twice', [percent(1), percent(2)], ['splits.1.recipient_account_uuid']],
    ['one recipient twice with fixed parts', [fixed(1), fixed(2)], ['splits.1.recipient_account_uuid']],
    ['one recipient with both types', [percent(1), fixed(2)], []],
    [
      'three of the same',
      [fixed(1), fixed(1), fixed(1)],
      ['splits.1.recipient_account_uuid', 'splits.2.recipient_account_uuid'],
    ],
    [
      'every error at once',
      [percent(HUNDRED_PERCENT + 1), percent(1)],
      ['splits.0.value', 'splits.1.recipient_account_uuid', 'splits'],
    ],
    ['of a share without a type', [{ ...percent(HUNDRED_PERCENT + 1), type: undefined }], []],
    ['of two recipients that cannot be read', [{ type: 'FIXED' }, { type: 'FIXED' }], []],
    [
      'next to an unreadable split',
      [{}, { ...percent(HUNDRED_PERCENT + 1), recipientAccountUuid: undefined }, { type: 'PERCENTAGE' }],
      ['splits.1.value', 'splits'],
    ],
  ])('%s', (_, splits, fields) => {
    expect(findSplitErrors(splits).map(fault => fault.field)).toEqual(fields)
  })
})

describe('an invalid sum of splits', () => {
  test.each<[string, PartialSplit[], number, string | null]>([
    ['nothing', [], 100, null],
    ['exactly the value', [fixed(60), fixed(40, 'b')], 100, null],
    ['a centavo more', [fixed(60), fixed(41, 'b')], 100, 'splits'],
    ['both types, exactly', [percent(5_000), fixed(50, 'b')], 100, null],
    ['both types, more', [percent(5_001), fixed(50, 'b')], 100, null],
    ['both types, a centavo more', [percent(5_100), fixed(50, 'b')], 100, 'splits'],
    ['a percentage of an open value', [percent(HUNDRED_PERCENT)], 0, null],
    ['more, whatever cannot be read', [{}, { type: 'FIXED' }, fixed(101, 'b')], 100, 'splits'],
    ['not known to be more', [{ amount: 101 }, fixed(100, 'b')], 100, null],
    ['a fixed part of an open value', [percent(1), fixed(1, 'b')], 0, 'splits.1.type'],
  ])('%s', (_, splits, valueCents, field) => {
    expect(findSplitSumError(splits, valueCents)?.field ?? null).toBe(field)
  })
})

test.each([
  [percent(HUNDRED_PERCENT), 1, 1],
  [percent(1), 9_999, 0],
  [percent(1), 10_000, 1],
  [percent(3_333), 100, 33],
  [fixed(70), 100, 70],
  [percent(HUNDRED_PERCENT), MAX_CENTS, MAX_CENTS],
])('%j of %d is %d', (split, valueCents, share) =>
  expect(computeSplitShareCents(split, valueCents)).toBe(share),
)

test('the shares and the rest add up to the value, and the rest is never below zero', () => {
  const random = createSeededRandom(5)
  for (let time = 0; time < 5_000; time++) {
    const valueCents = random.upTo(MAX_CENTS)
    const splits: ChargeSplit[] = []
    for (let left = HUNDRED_PERCENT, index = 0; left > 0 && index < 100; index++) {
      const amount = Math.min(left, 1 + random.upTo(time % 2 === 0 ? 150 : 5_000))
      splits.push(percent(amount, `account-${index}`))
      left -= amount
    }
    const shares = splits.map(split => computeSplitShareCents(split, valueCents))
    const rest = valueCents - shares.reduce((sum, share) => sum + share, 0)
    expect(shares.every(share => Number.isSafeInteger(share) && share >= 0)).toBe(true)
    expect(rest).toBeGreaterThanOrEqual(0)
    // Each is rounded down by less than a centavo, so where the whole is split the rest is less than one for each.
    const given = splits.reduce((sum, split) => sum + split.amount, 0)
    if (given === HUNDRED_PERCENT) expect(rest).toBeLessThan(splits.length)
    expect(findSplitErrors(splits)).toEqual([])
    expect(findSplitSumError(splits, valueCents)).toBeNull()
  }
})

describe('credits of what a charge with a due date brought in', () => {
  const fixed = (amount: number) => ({ type: 'FIXED' as const, amount })
  const percent = (amount: number) => ({ type: 'PERCENTAGE' as const, amount })

  test.each([
    ['the value', 10_000, [5_000, 5_000]],
    ['less: fixed amounts first, then shares of what came in, as far as it goes', 8_000, [3_000, 5_000]],
    ['less than the fixed amount', 4_000, [0, 4_000]],
    ['more', 12_000, [6_000, 5_000]],
    ['nothing after its fee', 0, [0, 0]],
  ] as const)('%s', (_, baseCents, credits) => {
    expect(computeSplitCredits([percent(5_000), fixed(5_000)], baseCents)).toEqual(credits)
  })
})
