import { describe, expect, test } from '@jest/globals'
import { type ChargeState, chargeMachine } from '../../../src/domain/charges/charge.ts'
import {
  type CreditedSplit,
  computeRefundableCents,
  computeSplitRefunds,
  REFUND_PERIOD_MS,
  type RefundEvent,
  type RefundState,
  type RefundStatus,
  refundErrorCodeOf,
  refundMachine,
} from '../../../src/domain/refunds/refund.ts'
import { PAYMENT_STATUSES } from '../../../src/domain/shared/payment-status.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

describe('the state machine of a refund (SPEC §3)', () => {
  testStateMachine<RefundState, RefundStatus, RefundEvent>(refundMachine, {
    events: ['accepted', 'refused', 'settled', 'rejected', 'settled_late'],
    expected: {
      sending: { shows: 'PROCESSING', over: false, steps: { accepted: 'settling', refused: 'failed' } },
      settling: { shows: 'PROCESSING', over: false, steps: { settled: 'settled', rejected: 'failed' } },
      settled: { shows: 'COMPLETED', over: true, steps: {} },
      failed: { shows: 'FAILED', over: true, steps: { settled_late: 'settled' } },
    },
  })
})

test('a refund may start within 90 days', () => expect(REFUND_PERIOD_MS).toBe(90 * 86_400_000))

describe('whether a charge can be refunded', () => {
  const NOW = new Date('2026-06-01T12:00:00Z')
  const ago = (ms: number) => new Date(NOW.getTime() - ms)
  const some = {
    receivedCents: 1_000,
    refundedCents: 0,
    refundingCents: 0,
    disputedCents: 0,
    paidAt: ago(1),
  }
  const why = (state: ChargeState, more: object = {}) => refundErrorCodeOf({ ...some, state, ...more }, NOW)

  const BY_STATE: Record<ChargeState, ReturnType<typeof why>> = {
    issuing: 'charge_not_refundable',
    pending: 'charge_not_refundable',
    debiting: 'charge_not_refundable',
    paying: 'charge_not_refundable',
    paid: null,
    refunding: 'refund_in_progress',
    partially_refunded: null,
    refunded: 'charge_not_refundable',
    failed: 'charge_not_refundable',
    expired: 'charge_not_refundable',
    cancelled: 'charge_not_refundable',
  }
  test.each(Object.entries(BY_STATE))('%s: %s', (state, expected) => {
    expect(why(state as ChargeState)).toBe(expected)
  })
  test('the table covers every status of a charge', () => {
    expect(Object.keys(BY_STATE).toSorted()).toEqual(chargeMachine.states.toSorted())
    expect(new Set(chargeMachine.states.map(chargeMachine.statusOf))).toEqual(new Set(PAYMENT_STATUSES))
  })

  test.each([
    ['a millisecond less than 90 days', REFUND_PERIOD_MS - 1, null],
    ['90 days', REFUND_PERIOD_MS, null],
    ['a millisecond more', REFUND_PERIOD_MS + 1, 'refund_period_over'],
  ])('%s after its settlement: %s', (_, age, expected) => {
    expect(why('paid', { paidAt: ago(age) })).toBe(expected)
    expect(why('partially_refunded', { paidAt: ago(age) })).toBe(expected)
  })

  test('an open dispute is reported before any other reason', () => {
    for (const state of chargeMachine.states) expect(why(state, { disputedCents: 1 })).toBe('refund_med_open')
  })

  test.each([
    [1_000, 0, 0, 0, 1_000],
    [1_000, 400, 0, 0, 600],
    [1_000, 400, 100, 0, 500],
    [1_000, 400, 100, 499, 1],
    [1_000, 1_000, 0, 0, 0],
    [1_000, 0, 0, 1_000, 0],
  ])(
    'received %i, refunded %i, in progress %i, disputed %i: %i left',
    (received, settled, running, held, left) => {
      expect(
        computeRefundableCents({
          receivedCents: received,
          refundedCents: settled,
          refundingCents: running,
          disputedCents: held,
        }),
      ).toBe(left)
    },
  )
})

describe('the shares that splits owe', () => {
  const split = (creditedCents: number, returnRequestedCents = 0): CreditedSplit => ({
    uuid: 'split',
    accountUuid: 'recipient',
    creditedCents,
    returnRequestedCents,
  })
  const owed = (splits: CreditedSplit[], receivedCents: number, refundedCents: number, valueCents: number) =>
    computeSplitRefunds(splits, { receivedCents, refundedCents, valueCents }).map(({ cents }) => cents)

  test.each([
    ['nothing credited, nothing owed', [split(0)], 1_000, 0, 1_000, [0]],
    ['a whole refund takes the whole share', [split(333)], 1_000, 0, 1_000, [333]],
    ['half of it half, rounded down', [split(333)], 1_000, 0, 500, [166]],
    ['the second half what is left', [split(333, 166)], 1_000, 500, 500, [167]],
    ['a centavo of a small split rounds to nothing', [split(5)], 1_000, 0, 1, [0]],
    ['an earlier shortfall of a recipient is not requested again', [split(500, 250)], 1_000, 500, 500, [250]],
    ['two halves with an indivisible centavo', [split(500), split(500)], 1_000, 0, 1, [0, 0]],
    ['so that the next one is owed twice: the owner had paid', [split(500), split(500)], 1_000, 1, 1, [1, 1]],
    ['each of several by itself', [split(100), split(1), split(899)], 1_000, 0, 999, [99, 0, 898]],
    ['fees are part of the received amount', [split(10_000)], 10_200, 0, 10_200, [10_000]],
    [
      'amounts beyond the safe product',
      [split(999_999_999_999)],
      999_999_999_999,
      0,
      999_999_999_998,
      [999_999_999_998],
    ],
  ])('%s', (_, splits, received, refunded, value, expected) => {
    expect(owed(splits, received, refunded, value)).toEqual(expected)
  })
})

test('each split owes exactly its share in the end, however a charge is refunded in parts', () => {
  const random = createSeededRandom(7)
  for (let time = 0; time < 500; time++) {
    const receivedCents = 1 + random.upTo(999_999_999_998)
    const splits = [0, 1, 2].map(index => ({
      uuid: `split-${index}`,
      accountUuid: `account-${index}`,
      creditedCents: random.upTo(Math.floor(receivedCents / 3)),
      returnRequestedCents: 0,
    }))
    for (let refundedCents = 0; refundedCents < receivedCents; ) {
      const left = receivedCents - refundedCents
      const valueCents = time % 5 === 0 ? left : Math.min(left, 1 + random.upTo(Math.ceil(receivedCents / 3)))
      const owed = computeSplitRefunds(splits, { receivedCents, refundedCents, valueCents })
      for (const { split, cents } of owed) {
        expect(cents).toBeGreaterThanOrEqual(0)
        split.returnRequestedCents += cents
        const whole = BigInt(split.creditedCents) * BigInt(refundedCents + valueCents)
        expect(split.returnRequestedCents).toBe(Number(whole / BigInt(receivedCents)))
      }
      expect(owed.reduce((sum, { cents }) => sum + cents, 0)).toBeLessThanOrEqual(valueCents + splits.length)
      refundedCents += valueCents
    }
    for (const split of splits) expect(split.returnRequestedCents).toBe(split.creditedCents)
  }
})
