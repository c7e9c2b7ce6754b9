import { describe, expect, test } from '@jest/globals'
import type { StatementEntry } from '../../../src/domain/providers/provider.ts'
import {
  compareStatement,
  isEntryOfDifference,
  type RecordedMovement,
} from '../../../src/domain/reconciliation/statement-comparison.ts'

const AT = '2026-11-21T12:00:00Z'
const SETTLED = { direction: 'IN', cents: 1_000, status: 'SETTLED', settledAt: AT } as const
const theirs = (more: Partial<StatementEntry> = {}): StatementEntry => ({
  endToEnd: 'E1',
  reference: null,
  direction: 'IN',
  cents: 1_000,
  at: AT,
  ...more,
})
const ours = (more: Partial<RecordedMovement> = {}): RecordedMovement => ({
  endToEnd: 'E1',
  ...SETTLED,
  ...more,
})

describe('one end-to-end id', () => {
  test.each<[what: string, theirs: StatementEntry[], ours: RecordedMovement[], kinds: string[]]>([
    ['that both have settled', [theirs()], [ours()], []],
    ['that only the provider has', [theirs()], [], ['missing_here']],
    ['that only we have settled', [], [ours()], ['missing_there']],
    ['that is pending here', [theirs()], [ours({ status: 'PENDING', settledAt: null })], ['status_differs']],
    ['that failed here', [theirs()], [ours({ status: 'FAILED' })], ['status_differs']],
    [
      'that failed here, of another value',
      [theirs({ cents: 1 })],
      [ours({ status: 'FAILED' })],
      ['status_differs'],
    ],
    ['of which a centavo is missing', [theirs({ cents: 999 })], [ours()], ['value_differs']],
    ['that is no claim yet', [], [ours({ status: 'PENDING', settledAt: null })], []],
    ['that failed', [], [ours({ status: 'FAILED' })], []],
    [
      'of the opposite direction',
      [theirs({ direction: 'OUT' })],
      [ours()],
      ['missing_here', 'missing_there'],
    ],
    [
      'that was sent and received at one provider account',
      [theirs(), theirs({ direction: 'OUT' })],
      [ours(), ours({ direction: 'OUT' })],
      [],
    ],
    ['that the statement lists twice', [theirs(), theirs()], [ours()], []],
    ['that the statement lists twice and we lack', [theirs(), theirs()], [], ['missing_here']],
    ['of another movement', [theirs({ endToEnd: 'E2' })], [ours()], ['missing_here', 'missing_there']],
  ])('%s', (_, statement, books, kinds) => {
    const { matched, differences } = compareStatement(statement, books)
    expect(differences.map(difference => difference.kind)).toEqual(kinds)
    expect(matched).toBe(
      new Set(statement.map(one => `${one.direction}${one.endToEnd}`)).size -
        differences.filter(difference => difference.entry).length,
    )
  })
})

test('a difference shows both sides as far as they exist', () => {
  const [entry, mine] = [theirs({ cents: 999 }), ours()]
  expect(compareStatement([entry], [mine]).differences).toEqual([
    { kind: 'value_differs', endToEnd: 'E1', direction: 'IN', entry, ours: mine },
  ])
  expect(compareStatement([entry], []).differences).toEqual([
    { kind: 'missing_here', endToEnd: 'E1', direction: 'IN', entry },
  ])
  expect(compareStatement([], [mine]).differences).toEqual([
    { kind: 'missing_there', endToEnd: 'E1', direction: 'IN', ours: mine },
  ])
})

test('PIX without any id are differences of their own, each found again by its time and value', () => {
  const entries = [theirs({ endToEnd: '' }), theirs({ endToEnd: '', cents: 999 })]
  const { differences } = compareStatement(entries, [])
  expect(differences.map(({ endToEnd }) => endToEnd)).toEqual([`${AT}/1000`, `${AT}/999`])
  expect(
    differences.map(difference => entries.filter(entry => isEntryOfDifference(entry, difference))),
  ).toEqual(entries.map(entry => [entry]))
})

test('the order does not matter', () => {
  const statement = ['E1', 'E2', 'E3'].map(endToEnd => theirs({ endToEnd }))
  const books = ['E3', 'E1', 'E2'].map(endToEnd => ours({ endToEnd }))
  expect(compareStatement(statement, books)).toEqual({ matched: 3, differences: [] })
})

describe('a return', () => {
  const named = { returnOf: 'E1', returnId: 'A' }
  test.each<[what: string, theirs: StatementEntry[], ours: RecordedMovement[], kinds: string[]]>([
    [
      'whose rail id we do not know',
      [theirs({ ...named, endToEnd: 'D1' })],
      [ours({ ...named, endToEnd: '' })],
      [],
    ],
    [
      'whose rail id is not listed',
      [theirs({ ...named, endToEnd: '' })],
      [ours({ ...named, endToEnd: 'D1' })],
      [],
    ],
    [
      'that neither names by the rail',
      [theirs({ ...named, endToEnd: '' })],
      [ours({ ...named, endToEnd: '' })],
      [],
    ],
    [
      'of another PIX with the same id',
      [theirs({ ...named, returnOf: 'E2', endToEnd: '' })],
      [ours({ ...named, endToEnd: 'D1' })],
      ['missing_here', 'missing_there'],
    ],
    ['that only the provider has', [theirs({ ...named, endToEnd: '' })], [], ['missing_here']],
    ['without a rail id that only we have', [], [ours({ ...named, endToEnd: '' })], []],
  ])('%s', (_, statement, books, kinds) =>
    expect(compareStatement(statement, books).differences.map(({ kind }) => kind)).toEqual(kinds),
  )

  test('without a rail id is shown by the PIX that it returns', () => {
    const entry = theirs({ ...named, endToEnd: '' })
    const [difference] = compareStatement([entry], []).differences
    expect(difference!.endToEnd).toBe('E1/A')
    expect(isEntryOfDifference(entry, difference!)).toBe(true)
  })
})
