import { describe, expect, test } from '@jest/globals'
import * as ledger from '../../../src/domain/ledger/legs.ts'
import { createSeededRandom } from '../support/seeded-random.ts'

const { BUCKETS, postingsOf } = ledger

/** The legs of one movement, as `bucket → bucket: centavos`. */
const describeLegs = (legs: ledger.Leg[]) =>
  legs
    .filter(leg => leg.cents !== 0)
    .map(
      ({ from, to, cents, isFee }) =>
        `${from.accountUuid} ${from.bucket} → ${to.accountUuid} ${to.bucket}: ${cents}${isFee ? ' (fee)' : ''}`,
    )

/** Two splits that owe a centavo each of a refund of one: the owner had advanced it. */
const MORE_THAN_OWED = [
  { accountUuid: 'a', cents: 1 },
  { accountUuid: 'b', cents: 1 },
  { accountUuid: 'o', cents: -1 },
]
const withHold = (part: ledger.RefundShare) => ({ ...part, heldCents: Math.max(0, part.cents) })

describe('the legs of each movement (SPEC §7)', () => {
  test.each<[string, ledger.Leg[], string[]]>([
    ['a payment that starts', ledger.paymentStartedLegs('a', 7), ['a outside → a pending: 7']],
    ['a payment confirmed', ledger.paymentConfirmedLegs('a', 7), ['a pending → a available: 7']],
    ['a payment that fails', ledger.paymentFailedLegs('a', 7), ['a pending → a outside: 7']],
    ['a deposit', ledger.depositLegs('a', 7), ['a outside → a available: 7']],
    ['an unmatched PIX that is kept', ledger.unmatchedKeptLegs('a', 7), ['a pending → a available: 7']],
    ['a return that is held', ledger.returnHeldLegs('a', 7), ['a pending → a provisioned: 7']],
    ['a return that settles', ledger.returnSettledLegs('a', 7), ['a provisioned → a outside: 7']],
    ['a return that fails', ledger.returnFailedLegs('a', 7), ['a provisioned → a pending: 7']],
    [
      'a transfer that is held',
      ledger.transferHeldLegs('a', { valueCents: 5, feeCents: 2 }),
      ['a available → a provisioned: 5', 'a available → a provisioned: 2 (fee)'],
    ],
    [
      'a transfer that settles',
      ledger.transferSettledLegs('a', { valueCents: 5, feeCents: 2 }),
      ['a provisioned → a outside: 5', 'a provisioned → a fee: 2 (fee)'],
    ],
    [
      'a transfer that fails',
      ledger.transferReleasedLegs('a', { valueCents: 5, feeCents: 2 }),
      ['a provisioned → a available: 2 (fee)', 'a provisioned → a available: 5'],
    ],
    [
      'a lost amount that is covered',
      ledger.uncoveredOutflowLegs('a', { cents: 7, availableCents: 9 }),
      ['a available → a outside: 7'],
    ],
    [
      'a lost amount that is covered in part',
      ledger.uncoveredOutflowLegs('a', { cents: 7, availableCents: 3 }),
      ['a available → a outside: 3', 'a shortfall → a outside: 4'],
    ],
    [
      'a shortfall repaid in part',
      ledger.shortfallRepaidLegs('a', { cents: 3, shortfallCents: -7 }),
      ['a available → a shortfall: 3'],
    ],
    [
      'a shortfall repaid whole',
      ledger.shortfallRepaidLegs('a', { cents: 9, shortfallCents: -7 }),
      ['a available → a shortfall: 7'],
    ],
    ['no shortfall', ledger.shortfallRepaidLegs('a', { cents: 9, shortfallCents: 0 }), []],
    ['a dispute that opens', ledger.disputeHeldLegs('a', 7), ['a available → a blocked: 7']],
    ['an inflow blocked for a dispute', ledger.disputeRetainedLegs('a', 7), ['a available → a retained: 7']],
    [
      'a closed dispute',
      ledger.disputeReleasedLegs('a', { heldCents: 5, retainedCents: 2 }),
      ['a blocked → a available: 5', 'a retained → a available: 2'],
    ],
    [
      'a dispute’s return that is held',
      ledger.disputeReturnedLegs('a', { cents: 5, heldCents: 7, retainedCents: 2, availableCents: 9 }),
      ['a blocked → a outside: 5'],
    ],
    [
      'a dispute’s return above all there is',
      ledger.disputeReturnedLegs('a', { cents: 10, heldCents: 4, retainedCents: 3, availableCents: 1 }),
      [
        'a blocked → a outside: 4',
        'a retained → a outside: 3',
        'a available → a outside: 1',
        'a shortfall → a outside: 2',
      ],
    ],
    [
      'a refund that is held',
      ledger.refundHeldLegs([
        { accountUuid: 'a', cents: 5 },
        { accountUuid: 'b', cents: 2 },
      ]),
      ['a available → a provisioned: 5', 'b available → b provisioned: 2'],
    ],
    [
      'a refund that settles',
      ledger.refundSettledLegs(
        [
          { accountUuid: 'a', cents: 5, heldCents: 5 },
          { accountUuid: 'b', cents: 2, heldCents: 2 },
        ],
        { accountUuid: 'a', cents: 1 },
      ),
      ['a provisioned → a outside: 5', 'b provisioned → b outside: 2', 'a provisioned → a fee: 1 (fee)'],
    ],
    [
      'a refund that settles, of which one account owes less than it held and another more',
      ledger.refundSettledLegs(
        [
          { accountUuid: 'a', cents: 4, heldCents: 5 },
          { accountUuid: 'b', cents: 3, heldCents: 2 },
        ],
        { accountUuid: 'b', cents: 0 },
      ),
      ['a provisioned → a outside: 4', 'a provisioned → a available: 1', 'b provisioned → b outside: 2'],
    ],
    [
      'a refund that fails',
      ledger.refundReleasedLegs([
        { accountUuid: 'a', cents: 5 },
        { accountUuid: 'b', cents: 2 },
      ]),
      ['a provisioned → a available: 5', 'b provisioned → b available: 2'],
    ],
    [
      'a refund that returns the owner’s advance, at its settlement and not before',
      [
        ...ledger.refundHeldLegs(MORE_THAN_OWED),
        ...ledger.refundSettledLegs(MORE_THAN_OWED.map(withHold), { accountUuid: 'o', cents: 0 }),
      ],
      [
        'a available → a provisioned: 1',
        'b available → b provisioned: 1',
        'a provisioned → a outside: 1',
        'b provisioned → b outside: 1',
        'o outside → o available: 1',
      ],
    ],
    [
      'the same when it fails',
      ledger.refundReleasedLegs(MORE_THAN_OWED),
      ['a provisioned → a available: 1', 'b provisioned → b available: 1'],
    ],
  ])('%s', (_, legs, expected) => expect(describeLegs(legs)).toEqual(expected))
})

describe('postings', () => {
  test('are one per bucket changed, without zero amounts', () => {
    expect(
      postingsOf([
        ...ledger.paymentStartedLegs('a', 7),
        ...ledger.unmatchedKeptLegs('a', 7),
        ...ledger.depositLegs('b', 0),
      ]),
    ).toEqual([
      { accountUuid: 'a', bucket: 'outside', cents: -7, isFee: false },
      { accountUuid: 'a', bucket: 'available', cents: 7, isFee: false },
    ])
  })

  test('of a fee are its own, also where a shortfall is repaid from the value', () => {
    const released = ledger.transferReleasedLegs('a', { valueCents: 5, feeCents: 2 })
    const repaid = ledger.shortfallRepaidLegs('a', { cents: 7, shortfallCents: -6 })
    const available = postingsOf([...released, ...repaid]).filter(({ bucket }) => bucket === 'available')
    expect(available.map(({ cents, isFee }) => [cents, isFee])).toEqual([
      [2, true],
      [-1, false],
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
        ...(random.upTo(3) === 0 && { isFee: true }),
      }))
      const postings = postingsOf(legs)
      for (const isFee of [true, false]) {
        const own = postings.filter(posting => posting.isFee === isFee)
        expect(own.reduce((sum, posting) => sum + posting.cents, 0)).toBe(0)
      }
      const places = postings.map(({ accountUuid, bucket, isFee }) => `${accountUuid}/${bucket}/${isFee}`)
      expect(new Set(places).size).toBe(places.length)
      expect(postings.every(posting => posting.cents !== 0)).toBe(true)
    }
  })
})
