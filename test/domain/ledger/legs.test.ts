import { describe, expect, test } from '@jest/globals'
import * as ledger from '../../../src/domain/ledger/legs.ts'
import { createSeededRandom } from '../support/seeded-random.ts'

const { BUCKETS, postingsOf } = ledger

/** The legs of one movement, as `bucket → bucket: centavos`. */
const describeLegs = (legs: ledger.Leg[]) =>
  legs
    .filter(leg => leg.cents !== 0)
    .map(
      ({ from, to, cents, type }) =>
        `${from.accountUuid} ${from.bucket} → ${to.accountUuid} ${to.bucket}: ${cents}${type ? ` (${type})` : ''}`,
    )

/** A refund of 7, of which a split pays 2. */
const REFUND = { ownerUuid: 'a', valueCents: 7, splitParts: [{ accountUuid: 'b', cents: 2 }] }

describe('the legs of each movement (SPEC §7)', () => {
  test.each<[string, ledger.Leg[], string[]]>([
    ['a payment that starts', ledger.paymentStartedLegs('a', 7), ['a outside → a pending: 7']],
    ['a payment confirmed', ledger.paymentConfirmedLegs('a', 7), ['a pending → a available: 7']],
    ['a payment that fails', ledger.paymentFailedLegs('a', 7), ['a pending → a outside: 7']],
    ['a deposit', ledger.depositLegs('a', 7), ['a outside → a available: 7']],
    [
      'an unmatched PIX that is held',
      ledger.unmatchedHeldLegs('a', 7),
      ['a outside → a available: 7', 'a available → a pending: 7 (HOLD)'],
    ],
    [
      'an unmatched PIX that is kept',
      ledger.unmatchedKeptLegs('a', 7),
      ['a pending → a available: 7 (HOLD)'],
    ],
    [
      'a return that is held',
      ledger.returnHeldLegs('a', 7),
      ['a pending → a available: 7 (HOLD)', 'a available → a provisioned: 7'],
    ],
    ['a return that settles', ledger.returnSettledLegs('a', 7), ['a provisioned → a outside: 7']],
    [
      'a return that fails',
      ledger.returnFailedLegs('a', 7),
      ['a provisioned → a available: 7 (REVERSAL)', 'a available → a pending: 7 (HOLD)'],
    ],
    [
      'a return that settles after it failed',
      ledger.returnSettledLateLegs('a', 7),
      [
        'a pending → a available: 7 (HOLD)',
        'a available → a provisioned: 7 (REVERSAL)',
        'a provisioned → a outside: 7',
      ],
    ],
    [
      'a transfer that is held',
      ledger.transferHeldLegs('a', { valueCents: 5, feeCents: 2 }),
      ['a available → a provisioned: 5', 'a available → a provisioned: 2 (FEE)'],
    ],
    [
      'a transfer that settles',
      ledger.transferSettledLegs('a', { valueCents: 5, feeCents: 2 }),
      ['a provisioned → a outside: 5', 'a provisioned → a fee: 2 (FEE)'],
    ],
    [
      'a transfer that fails',
      ledger.transferReleasedLegs('a', { valueCents: 5, feeCents: 2 }),
      ['a provisioned → a available: 2 (FEE)', 'a provisioned → a available: 5 (REVERSAL)'],
    ],
    [
      'a lost amount that is covered',
      ledger.uncoveredOutflowLegs('a', { cents: 7, availableCents: 9 }),
      ['a available → a outside: 7'],
    ],
    [
      'a lost amount that is covered in part',
      ledger.uncoveredOutflowLegs('a', { cents: 7, availableCents: 3 }),
      ['a shortfall → a available: 4 (SHORTFALL)', 'a available → a outside: 7'],
    ],
    [
      'the same where its hold was reversed',
      ledger.uncoveredLateLegs('a', { cents: 7, availableCents: 3 }),
      [
        'a shortfall → a available: 4 (SHORTFALL)',
        'a available → a provisioned: 7 (REVERSAL)',
        'a provisioned → a outside: 7',
      ],
    ],
    [
      'a shortfall repaid in part',
      ledger.shortfallRepaidLegs('a', { cents: 3, shortfallCents: -7 }),
      ['a available → a shortfall: 3 (SHORTFALL)'],
    ],
    [
      'a shortfall repaid whole',
      ledger.shortfallRepaidLegs('a', { cents: 9, shortfallCents: -7 }),
      ['a available → a shortfall: 7 (SHORTFALL)'],
    ],
    ['no shortfall', ledger.shortfallRepaidLegs('a', { cents: 9, shortfallCents: 0 }), []],
    ['a dispute that opens', ledger.disputeHeldLegs('a', 7), ['a available → a blocked: 7 (HOLD)']],
    [
      'an inflow blocked for a dispute',
      ledger.disputeRetainedLegs('a', 7),
      ['a available → a retained: 7 (HOLD)'],
    ],
    [
      'a closed dispute',
      ledger.disputeReleasedLegs('a', { heldCents: 5, retainedCents: 2 }),
      ['a blocked → a available: 5 (HOLD)', 'a retained → a available: 2 (HOLD)'],
    ],
    [
      'a dispute’s return that is held',
      ledger.disputeReturnedLegs('a', { cents: 5, heldCents: 7, retainedCents: 2, availableCents: 9 }),
      ['a blocked → a available: 5 (HOLD)', 'a available → a outside: 5'],
    ],
    [
      'a dispute’s return above all there is',
      ledger.disputeReturnedLegs('a', { cents: 10, heldCents: 4, retainedCents: 3, availableCents: 1 }),
      [
        'a blocked → a available: 4 (HOLD)',
        'a retained → a available: 3 (HOLD)',
        'a shortfall → a available: 2 (SHORTFALL)',
        'a available → a outside: 10',
      ],
    ],
    [
      'a refund that is held',
      ledger.refundHeldLegs(REFUND),
      ['b available → a available: 2 (SPLIT)', 'a available → a provisioned: 7'],
    ],
    [
      'a refund that settles, of which a split gets a part back',
      ledger.refundSettledLegs({ ...REFUND, splitParts: [{ accountUuid: 'b', cents: 1 }], excessCents: 0 }),
      ['a available → b available: 1 (SPLIT)', 'a provisioned → a outside: 7'],
    ],
    [
      'a refund of which the splits owe more than its value',
      ledger.refundHeldLegs({ ...REFUND, valueCents: 1 }),
      [
        'b available → a available: 2 (SPLIT)',
        'a available → a provisioned: 1',
        'a available → a provisioned: 1 (HOLD)',
      ],
    ],
    [
      'the same when it settles',
      ledger.refundSettledLegs({ ...REFUND, valueCents: 1, splitParts: [], excessCents: 1 }),
      ['a provisioned → a available: 1 (HOLD)', 'a provisioned → a outside: 1'],
    ],
    [
      'a refund that fails',
      ledger.refundReleasedLegs(REFUND),
      ['a provisioned → a available: 7 (REVERSAL)', 'a available → b available: 2 (SPLIT)'],
    ],
  ])('%s', (_, legs, expected) => expect(describeLegs(legs)).toEqual(expected))
})

describe('postings', () => {
  test('are one per bucket changed, without zero amounts', () => {
    expect(
      postingsOf([
        ...ledger.paymentStartedLegs('a', 7),
        ...ledger.paymentConfirmedLegs('a', 7),
        ...ledger.depositLegs('b', 0),
      ]),
    ).toEqual([
      { accountUuid: 'a', bucket: 'outside', cents: -7, type: null },
      { accountUuid: 'a', bucket: 'available', cents: 7, type: null },
    ])
  })

  test('of a fee, of a reversal and of a repaid shortfall are their own', () => {
    const released = ledger.transferReleasedLegs('a', { valueCents: 5, feeCents: 2 })
    const repaid = ledger.shortfallRepaidLegs('a', { cents: 7, shortfallCents: -6 })
    const available = postingsOf([...released, ...repaid]).filter(({ bucket }) => bucket === 'available')
    expect(available.map(({ cents, type }) => [cents, type])).toEqual([
      [2, 'FEE'],
      [5, 'REVERSAL'],
      [-6, 'SHORTFALL'],
    ])
  })

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'with a leg of %d are refused as a bug',
    cents => {
      expect(() => postingsOf(ledger.depositLegs('a', cents))).toThrow(RangeError)
    },
  )

  test('add up to zero for every movement', () => {
    const random = createSeededRandom(6)
    const bucket = () => BUCKETS[random.upTo(BUCKETS.length - 1)]!
    const place = () => ({ accountUuid: `account-${random.upTo(3)}`, bucket: bucket() })
    for (let time = 0; time < 3_000; time++) {
      const legs = Array.from({ length: 1 + random.upTo(9) }, () => ({
        cents: random.upTo(999_999_999_999),
        from: place(),
        to: place(),
        ...(random.upTo(3) === 0 && { type: 'FEE' as const }),
      }))
      const postings = postingsOf(legs)
      for (const type of ['FEE', null]) {
        const typePostings = postings.filter(posting => posting.type === type)
        expect(typePostings.reduce((sum, posting) => sum + posting.cents, 0)).toBe(0)
      }
      const places = postings.map(({ accountUuid, bucket, type }) => `${accountUuid}/${bucket}/${type}`)
      expect(new Set(places).size).toBe(places.length)
      expect(postings.every(posting => posting.cents !== 0)).toBe(true)
    }
  })
})
