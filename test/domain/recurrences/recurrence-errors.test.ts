import { describe, expect, test } from '@jest/globals'
import {
  CHARGE_GENERATIONS,
  JOURNEYS,
  type Journey,
  type RecurrenceTerms,
} from '../../../src/domain/recurrences/recurrence.ts'
import {
  findCycleChargeErrors,
  findRecurrenceErrors,
  findUnofferedTerms,
  type RecurrenceOrder,
} from '../../../src/domain/recurrences/recurrence-errors.ts'

const NOW = new Date('2026-12-01T15:00:00Z')
const TERMS: RecurrenceTerms = {
  valueCents: 10_000,
  minimumCents: null,
  frequency: 'MONTHLY',
  startsOn: '2026-12-10',
  endsOn: null,
  contract: 'Plano 12/2026 São João',
  subject: null,
  retryPolicy: 'NOT_ALLOWED',
  journey: 'QR',
  generate: 'AUTOMATIC',
  daysBefore: 4,
}
type OrderChanges = Partial<RecurrenceTerms> & Partial<Omit<RecurrenceOrder, 'terms'>>
const errorsOf = ({ requestExpiresAt, hasPayerAccount, firstCharge, ...terms }: OrderChanges) =>
  findRecurrenceErrors(
    {
      terms: { ...TERMS, ...terms },
      requestExpiresAt: requestExpiresAt ?? null,
      hasPayerAccount: hasPayerAccount ?? false,
      firstCharge: firstCharge ?? null,
    },
    NOW,
  )

describe('an order of a recurrence', () => {
  test.each<[string, OrderChanges, string, string]>([
    ['a value of 0', { valueCents: 0 }, 'value', 'must be above 0'],
    [
      'a minimum of 0',
      { valueCents: null, minimumCents: 0, generate: 'MANUAL' },
      'minimum_value',
      'must be above 0',
    ],
    ['value and minimum', { minimumCents: 100 }, 'minimum_value', 'must not be sent with value'],
    [
      'a minimum with charges of the worker',
      { valueCents: null, minimumCents: 100 },
      'generate',
      'must be MANUAL where the recurrence has no fixed value',
    ],
    ['a start yesterday', { startsOn: '2026-11-30' }, 'starts_on', 'must not be before today in Brasília'],
    ['a start in a year and a day', { startsOn: '2027-12-02' }, 'starts_on', 'must be within a year'],
    ['an end before the start', { endsOn: '2026-12-09' }, 'ends_on', 'must not be before starts_on'],
    ['two days before', { daysBefore: 2 }, 'days_before', 'must be from 3 to 9'],
    ['ten days before', { daysBefore: 10 }, 'days_before', 'must be from 3 to 9'],
    ['no contract', { contract: ' ' }, 'contract', 'must not be empty'],
    ['a contract of 36', { contract: 'a'.repeat(36) }, 'contract', 'must be at most 35 characters'],
    [
      'a contract of two lines',
      { contract: 'a\nb' },
      'contract',
      'must be one line, without control characters',
    ],
    ['no subject', { subject: '' }, 'subject', 'must not be empty'],
    ['a subject of 36', { subject: 'ã'.repeat(36) }, 'subject', 'must be at most 35 characters'],
    [
      'a request without an account',
      { journey: 'REQUEST' },
      'payer_account',
      'is needed by the journey REQUEST',
    ],
    [
      'an account without a request',
      { hasPayerAccount: true },
      'payer_account',
      'must not be sent without the journey REQUEST',
    ],
    [
      'an expiry without a request',
      { requestExpiresAt: new Date('2026-12-05T12:00:00Z') },
      'request_expires_at',
      'must not be sent without the journey REQUEST',
    ],
    [
      'a request that expires now',
      { journey: 'REQUEST', hasPayerAccount: true, requestExpiresAt: NOW },
      'request_expires_at',
      'must be in the future',
    ],
    [
      'a first charge with a code alone',
      { firstCharge: { hasDue: false } },
      'first_charge',
      'must not be sent with the journey QR',
    ],
    [
      'no first charge with a payment',
      { journey: 'QR_WITH_PAYMENT' },
      'first_charge',
      'is needed by the journey QR_WITH_PAYMENT',
    ],
    [
      'no first charge before an offer',
      { journey: 'PAYMENT_THEN_OFFER' },
      'first_charge',
      'is needed by the journey PAYMENT_THEN_OFFER',
    ],
    [
      'a due first charge with a payment',
      { journey: 'QR_WITH_PAYMENT', firstCharge: { hasDue: true } },
      'first_charge.due',
      'must not be sent with the journey QR_WITH_PAYMENT',
    ],
    [
      'a first charge before an offer that is not due',
      { journey: 'PAYMENT_THEN_OFFER', firstCharge: { hasDue: false } },
      'first_charge.due',
      'is needed by the journey PAYMENT_THEN_OFFER',
    ],
  ])('%s', (_, changes, field, message) => {
    expect(errorsOf(changes)).toEqual([{ field, message }])
  })

  test.each<[string, OrderChanges]>([
    ['a code', {}],
    ['a start today and an end on it', { startsOn: '2026-12-01', endsOn: '2026-12-01' }],
    ['a start in a year', { startsOn: '2027-12-01' }],
    ['three days before', { daysBefore: 3 }],
    ['nine days before', { daysBefore: 9 }],
    ['texts of 35 characters', { contract: '😀'.repeat(35), subject: 'ã'.repeat(35) }],
    ['a minimum', { valueCents: null, minimumCents: 100, generate: 'MANUAL' }],
    ['neither value nor minimum', { valueCents: null, generate: 'MANUAL' }],
    ['a request', { journey: 'REQUEST', hasPayerAccount: true }],
    [
      'a request that expires',
      { journey: 'REQUEST', hasPayerAccount: true, requestExpiresAt: new Date('2026-12-05T12:00:00Z') },
    ],
    ['a payment with the code', { journey: 'QR_WITH_PAYMENT', firstCharge: { hasDue: false } }],
    ['an offer after a payment', { journey: 'PAYMENT_THEN_OFFER', firstCharge: { hasDue: true } }],
  ])('%s is allowed', (_, changes) => {
    expect(errorsOf(changes)).toEqual([])
  })

  test('at two in the morning of UTC is judged by the day in Brasília', () => {
    const terms = { ...TERMS, startsOn: '2026-11-30' }
    const order = { terms, requestExpiresAt: null, hasPayerAccount: false, firstCharge: null }
    expect(findRecurrenceErrors(order, new Date('2026-12-01T02:59:59Z'))).toEqual([])
    expect(findRecurrenceErrors(order, new Date('2026-12-01T03:00:00Z'))).toHaveLength(1)
  })

  const EXPIRY = new Date('2026-12-05T12:00:00Z')
  const FIRST_CHARGES = { none: null, immediate: { hasDue: false }, due: { hasDue: true } }
  const ACCEPTED: Record<
    Journey,
    { account: boolean; expiry: boolean; firstCharge: keyof typeof FIRST_CHARGES }
  > = {
    REQUEST: { account: true, expiry: true, firstCharge: 'none' },
    QR: { account: false, expiry: false, firstCharge: 'none' },
    QR_WITH_PAYMENT: { account: false, expiry: false, firstCharge: 'immediate' },
    PAYMENT_THEN_OFFER: { account: false, expiry: false, firstCharge: 'due' },
  }
  test.each(JOURNEYS)(
    'with the journey %s has the account, the expiry and the first charge of it alone',
    journey => {
      const accepted = ACCEPTED[journey]
      for (const hasPayerAccount of [false, true])
        for (const requestExpiresAt of [null, EXPIRY])
          for (const [kind, firstCharge] of Object.entries(FIRST_CHARGES)) {
            const isAccepted =
              hasPayerAccount === accepted.account &&
              (requestExpiresAt === null || accepted.expiry) &&
              kind === accepted.firstCharge
            const errors = errorsOf({ journey, hasPayerAccount, requestExpiresAt, firstCharge })
            expect(errors.length === 0).toBe(isAccepted)
          }
    },
  )

  test.each(CHARGE_GENERATIONS)('with %s charges has a value, a minimum or neither', generate => {
    const isAccepted = (valueCents: number | null, minimumCents: number | null) =>
      errorsOf({ generate, valueCents, minimumCents }).length === 0
    expect(isAccepted(100, null)).toBe(true)
    expect(isAccepted(100, 100)).toBe(false)
    expect(isAccepted(null, 100)).toBe(generate === 'MANUAL')
    expect(isAccepted(null, null)).toBe(generate === 'MANUAL')
  })

  test('each field that is wrong is named', () => {
    const wrong = errorsOf({ startsOn: '2026-11-30', daysBefore: 0, subject: 'a\u2028b', journey: 'REQUEST' })
    expect(wrong.map(({ field }) => field)).toEqual(['starts_on', 'days_before', 'subject', 'payer_account'])
  })
})

describe('a charge that the merchant orders for a recurrence', () => {
  const VARYING = { ...TERMS, valueCents: null, minimumCents: 5_000, endsOn: '2027-12-10' }
  const chargeErrorsOf = (
    charge: Partial<Parameters<typeof findCycleChargeErrors>[1]>,
    terms: RecurrenceTerms = VARYING,
  ) =>
    findCycleChargeErrors(terms, { dueOn: '2026-12-10', valueCents: 10_000, today: '2026-12-05', ...charge })
  const TOO_NEAR_OR_FAR = 'must be 2 to 10 days after today in Brasília'

  test.each<[string, Parameters<typeof chargeErrorsOf>, string, string]>([
    ['a value of 0', [{ valueCents: 0 }], 'value', 'must be above 0'],
    ['another value', [{ valueCents: 9_999 }, TERMS], 'value', 'must be the value of the recurrence'],
    ['due in one day', [{ today: '2026-12-09' }], 'due_on', TOO_NEAR_OR_FAR],
    ['due in eleven days', [{ today: '2026-11-29' }], 'due_on', TOO_NEAR_OR_FAR],
    ['due before the start', [{ dueOn: '2026-12-09' }], 'due_on', 'must be within the recurrence'],
    [
      'due after the end',
      [{ dueOn: '2027-12-11', today: '2027-12-05' }],
      'due_on',
      'must be within the recurrence',
    ],
  ])('%s', (_, args, field, message) => {
    expect(chargeErrorsOf(...args)).toEqual([{ field, message }])
  })

  test.each<[string, Parameters<typeof chargeErrorsOf>]>([
    ['due in two days', [{ today: '2026-12-08' }]],
    ['due in ten days', [{ today: '2026-11-30' }]],
    ['less than the minimum of the limit', [{ valueCents: 1 }]],
    ['the fixed value', [{}, TERMS]],
    ['due on the last day', [{ dueOn: '2027-12-10', today: '2027-12-05' }]],
  ])('%s is allowed', (_, args) => {
    expect(chargeErrorsOf(...args)).toEqual([])
  })
})

describe('what a provider does not offer', () => {
  const ORDERED = { journeys: JOURNEYS }
  const OWN = { journeys: ['QR'] as const, ownDebits: { daysBefore: 4, needsAddress: true } }
  const fieldsOf = (
    offer: typeof ORDERED | typeof OWN,
    changes: Partial<RecurrenceTerms>,
    hasAddress = true,
  ) => findUnofferedTerms({ terms: { ...TERMS, ...changes }, hasAddress }, offer).map(({ field }) => field)
  const VARIABLE = { valueCents: null, generate: 'MANUAL' } as const

  test('where each debit is ordered, a journey alone', () => {
    expect(fieldsOf(ORDERED, { ...VARIABLE, daysBefore: 9 }, false)).toEqual([])
    expect(fieldsOf({ journeys: [] as unknown as typeof JOURNEYS }, {})).toEqual(['journey'])
  })

  test.each<[Partial<RecurrenceTerms>, boolean, string[]]>([
    [{}, true, []],
    [{ daysBefore: 3 }, true, []],
    [{ daysBefore: 5 }, true, ['days_before']],
    [VARIABLE, true, ['value', 'generate']],
    [{ journey: 'REQUEST' }, false, ['journey', 'debtor.address']],
  ])('where it makes the debits itself, %j with an address (%p): %j', (changes, hasAddress, fields) => {
    expect(fieldsOf(OWN, changes, hasAddress)).toEqual(fields)
  })
})
