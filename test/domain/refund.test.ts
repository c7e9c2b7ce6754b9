import { describe, expect, test } from '@jest/globals'
import {
  owedBySplits,
  REFUND_PERIOD_MS,
  type RefundEvent,
  type RefundState,
  type RefundStatus,
  refund,
  refundableCents,
} from '../../src/domain/refund.ts'
import { seeded } from './seeded.ts'
import { walk } from './walk.ts'

describe('the life of a refund (SPEC §3)', () => {
  walk<RefundState, RefundStatus, RefundEvent>(refund, {
    events: ['accepted', 'refused', 'settled', 'rejected', 'settled_late'],
    expected: {
      sending: { shows: 'PROCESSING', over: false, steps: { accepted: 'settling', refused: 'failed' } },
      settling: { shows: 'PROCESSING', over: false, steps: { settled: 'settled', rejected: 'failed' } },
      settled: { shows: 'COMPLETED', over: true, steps: {} },
      failed: { shows: 'FAILED', over: true, steps: { settled_late: 'settled' } },
    },
  })
})

test('a refund may begin within 90 days', () => expect(REFUND_PERIOD_MS).toBe(90 * 86_400_000))

test('the remainder is what was received less what is settled, in flight or disputed', () => {
  const charge = { receivedCents: 100, refundedCents: 20, refundingCents: 30, disputedCents: 10 }
  expect(refundableCents(charge)).toBe(40)
})

test('however a charge is refunded in parts, each split owes exactly its share in the end', () => {
  const random = seeded(7)
  for (let time = 0; time < 500; time++) {
    const receivedCents = 1 + random.upTo(999_999_999_998)
    const splits = [0, 1, 2].map(index => ({
      uuid: `split-${index}`,
      accountUuid: `account-${index}`,
      creditedCents: random.upTo(Math.floor(receivedCents / 3)),
      askedBackCents: 0,
    }))
    for (let refundedCents = 0; refundedCents < receivedCents; ) {
      const left = receivedCents - refundedCents
      const valueCents = time % 5 === 0 ? left : Math.min(left, 1 + random.upTo(Math.ceil(receivedCents / 3)))
      const owed = owedBySplits(splits, { receivedCents, refundedCents, valueCents })
      for (const { split, cents } of owed) {
        expect(cents).toBeGreaterThanOrEqual(0)
        split.askedBackCents += cents
      }
      expect(owed.reduce((sum, { cents }) => sum + cents, 0)).toBeLessThanOrEqual(valueCents + splits.length)
      refundedCents += valueCents
    }
    for (const split of splits) expect(split.askedBackCents).toBe(split.creditedCents)
  }
})
