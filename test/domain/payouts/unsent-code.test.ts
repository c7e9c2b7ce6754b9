import { expect, test } from '@jest/globals'
import { unsentCodeOf } from '../../../src/domain/payouts/unsent-code.ts'

test.each([
  [['timeout'], 'no_provider_available'],
  [[null, undefined], 'no_provider_available'],
  [['paused', 'timeout'], 'no_provider_available'],
  [['paced', 'paced'], 'no_provider_available'],
  [['paused', 'paced'], 'no_provider_available'],
  [['paused', 'paused'], 'paused'],
  [['paused', 'account_blocked'], 'account_blocked'],
  [['connection_refused', 'account_blocked'], 'account_blocked'],
] as const)(
  'an operation that no provider received, with attempts ended as %j, has the code %s',
  (codes, why) => {
    expect(unsentCodeOf(codes)).toBe(why)
  },
)
