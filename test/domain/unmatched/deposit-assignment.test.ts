import { expect, test } from '@jest/globals'
import {
  type DepositAssignmentTerms,
  isDepositAssignable,
} from '../../../src/domain/unmatched/deposit-assignment.ts'

const assignable: DepositAssignmentTerms = {
  reason: 'deposit',
  disposition: null,
  isCodeNamed: false,
  hasReturns: false,
  isDisputed: false,
  isAdjusted: false,
}

test('a deposit that stays with its account may be assigned', () => {
  expect(isDepositAssignable(assignable)).toBe(true)
})

test.each<Partial<DepositAssignmentTerms>>([
  { reason: null },
  { reason: 'second_payment' },
  { reason: 'wrong_payer' },
  { disposition: 'held' },
  { disposition: 'returning' },
  { disposition: 'returned' },
  { disposition: 'not_returned' },
  // Its account has ordered its return, which may settle late where it has failed.
  { disposition: 'kept' },
  { isCodeNamed: true },
  { hasReturns: true },
  { isDisputed: true },
  { isAdjusted: true },
])('one with %o may not', terms => {
  expect(isDepositAssignable({ ...assignable, ...terms })).toBe(false)
})
