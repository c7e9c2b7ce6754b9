import { describe, expect, test } from '@jest/globals'
import { MOST_CENTS } from '../../src/domain/money.ts'
import {
  type Split,
  type SplitRead,
  splitFaults,
  splitShare,
  sumFault,
  WHOLE,
} from '../../src/domain/split.ts'
import { seeded } from './seeded.ts'

const percent = (amount: number, recipientAccountUuid = 'a'): Split => ({
  type: 'PERCENTAGE',
  amount,
  recipientAccountUuid,
})
const fixed = (amount: number, recipientAccountUuid = 'a'): Split => ({
  type: 'FIXED',
  amount,
  recipientAccountUuid,
})

describe('what is wrong with some splits, whatever the value', () => {
  test.each<[string, SplitRead[], string[]]>([
    ['nothing', [], []],
    ['the whole for one', [percent(WHOLE)], []],
    ['the whole for two', [percent(5_000), percent(5_000, 'b')], []],
    ['more than the whole for one', [percent(WHOLE + 1)], ['splits.0.value', 'splits']],
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
      'everything at once',
      [percent(WHOLE + 1), percent(1)],
      ['splits.0.value', 'splits.1.recipient_account_uuid', 'splits'],
    ],
    ['of a share without a type', [{ ...percent(WHOLE + 1), type: undefined }], []],
    ['of two recipients that cannot be read', [{ type: 'FIXED' }, { type: 'FIXED' }], []],
    [
      'beside what cannot be read',
      [{}, { ...percent(WHOLE + 1), recipientAccountUuid: undefined }, { type: 'PERCENTAGE' }],
      ['splits.1.value', 'splits'],
    ],
  ])('%s', (_, splits, fields) => {
    expect(splitFaults(splits).map(fault => fault.field)).toEqual(fields)
  })
})

describe('what is wrong with their sum', () => {
  test.each<[string, SplitRead[], number, string | null]>([
    ['nothing', [], 100, null],
    ['exactly the value', [fixed(60), fixed(40, 'b')], 100, null],
    ['a centavo more', [fixed(60), fixed(41, 'b')], 100, 'splits'],
    ['both types, exactly', [percent(5_000), fixed(50, 'b')], 100, null],
    ['both types, more', [percent(5_001), fixed(50, 'b')], 100, null],
    ['both types, a centavo more', [percent(5_100), fixed(50, 'b')], 100, 'splits'],
    ['a percentage of an open value', [percent(WHOLE)], 0, null],
    ['more, whatever cannot be read', [{}, { type: 'FIXED' }, fixed(101, 'b')], 100, 'splits'],
    ['not known to be more', [{ amount: 101 }, fixed(100, 'b')], 100, null],
    ['a fixed part of an open value', [percent(1), fixed(1, 'b')], 0, 'splits.1.type'],
  ])('%s', (_, splits, valueCents, field) => {
    expect(sumFault(splits, valueCents)?.field ?? null).toBe(field)
  })
})

test.each([
  [percent(WHOLE), 1, 1],
  [percent(1), 9_999, 0],
  [percent(1), 10_000, 1],
  [percent(3_333), 100, 33],
  [fixed(70), 100, 70],
  [percent(WHOLE), MOST_CENTS, MOST_CENTS],
])('%j of %d is %d', (split, valueCents, share) => expect(splitShare(split, valueCents)).toBe(share))

test('the shares and the rest are the value, and the rest is never below zero, for every value', () => {
  const random = seeded(5)
  for (let time = 0; time < 5_000; time++) {
    const valueCents = random.upTo(MOST_CENTS)
    const splits: Split[] = []
    for (let left = WHOLE, index = 0; left > 0 && index < 100; index++) {
      const amount = Math.min(left, 1 + random.upTo(time % 2 === 0 ? 150 : 5_000))
      splits.push(percent(amount, `account-${index}`))
      left -= amount
    }
    const shares = splits.map(split => splitShare(split, valueCents))
    const rest = valueCents - shares.reduce((sum, share) => sum + share, 0)
    expect(shares.every(share => Number.isSafeInteger(share) && share >= 0)).toBe(true)
    expect(rest).toBeGreaterThanOrEqual(0)
    // Each is rounded down by less than a centavo, so where the whole is given away the rest is less than one for each.
    const given = splits.reduce((sum, split) => sum + split.amount, 0)
    if (given === WHOLE) expect(rest).toBeLessThan(splits.length)
    expect(splitFaults(splits)).toEqual([])
    expect(sumFault(splits, valueCents)).toBeNull()
  }
})
