import { expect, test } from '@jest/globals'
import {
  type DepositReturnTerms,
  depositReturnErrorCodeOf,
  returnStatusOf,
} from '../../../src/domain/unmatched/deposit-return.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const DAY_MS = 86_400_000

const returnable: DepositReturnTerms = {
  disposition: null,
  settledAt: NOW,
  hasRoute: true,
  hasReturns: false,
  isRefused: false,
  isDisputed: false,
  isCovered: true,
}

test.each([null, 'kept'] as const)(
  'a PIX with disposition %s stays with its account and may be returned',
  disposition => {
    expect(returnStatusOf({ disposition, hasFailed: false })).toBeNull()
    expect(returnStatusOf({ disposition, hasFailed: true })).toBe('FAILED')
    expect(depositReturnErrorCodeOf({ ...returnable, disposition }, NOW)).toBeNull()
  },
)

test.each([
  ['held', 'PROCESSING', 'return_in_progress'],
  ['returning', 'PROCESSING', 'return_in_progress'],
  ['returned', 'COMPLETED', 'deposit_not_returnable'],
  ['not_returned', 'FAILED', 'deposit_not_returnable'],
] as const)('a PIX that is %s shows %s and may not be returned', (disposition, status, code) => {
  for (const hasFailed of [true, false]) expect(returnStatusOf({ disposition, hasFailed })).toBe(status)
  expect(depositReturnErrorCodeOf({ ...returnable, disposition }, NOW)).toBe(code)
})

test.each<[Partial<DepositReturnTerms>, string]>([
  [{ hasRoute: false }, 'deposit_not_returnable'],
  [{ hasReturns: true }, 'deposit_not_returnable'],
  [{ isRefused: true, isDisputed: true }, 'deposit_not_returnable'],
  [{ isDisputed: true, isCovered: false }, 'return_med_open'],
  [{ settledAt: new Date(NOW.getTime() - 90 * DAY_MS - 1), isCovered: false }, 'return_period_over'],
  [{ settledAt: new Date(NOW.getTime() - 90 * DAY_MS), isCovered: false }, 'insufficient_balance'],
])('%o is refused with %s', (terms, code) => {
  expect(depositReturnErrorCodeOf({ ...returnable, ...terms }, NOW)).toBe(code)
})
