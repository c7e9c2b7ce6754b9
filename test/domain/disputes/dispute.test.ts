import { describe, expect, test } from '@jest/globals'
import {
  computeClaimCents,
  computeUncoveredCents,
  coverAfterReturn,
  type DISPUTE_STATUSES,
  type DisputeEvent,
  type DisputeState,
  disputeMachine,
  disputeTypeOf,
  dueWarningHours,
  isCancellableDispute,
  MAX_ANALYSIS_MS,
  mayReturnMore,
  nextDeadlineMs,
  replyDeadlineMs,
  replyErrorCodeOf,
  requestErrorCodeOf,
  situationOf,
  UNRESOLVED_DISPUTE_STATES,
} from '../../../src/domain/disputes/dispute.ts'
import {
  endOfAcceptedDispute,
  eventsToDecision,
  type ProviderDispute,
} from '../../../src/domain/disputes/provider-dispute.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

const EVENTS = Object.keys({
  requested: true,
  request_refused: true,
  replied: true,
  reply_refused: true,
  deadline_passed: true,
  agreed: true,
  disagreed: true,
  withdrawn: true,
  returned: true,
  closed_without_funds: true,
  return_period_ended: true,
} satisfies Record<DisputeEvent, true>) as DisputeEvent[]

const DECIDED = { agreed: 'accepted', disagreed: 'rejected', withdrawn: 'cancelled' } as const

describe('the state machine of a dispute (SPEC §5)', () => {
  testStateMachine<DisputeState, (typeof DISPUTE_STATUSES)[number], DisputeEvent>(disputeMachine, {
    events: EVENTS,
    expected: {
      requesting: {
        shows: 'PENDING',
        over: false,
        steps: { requested: 'open', request_refused: 'refused' },
      },
      refused: { shows: 'REJECTED', over: true, steps: {} },
      open: {
        shows: 'PENDING',
        over: false,
        steps: { replied: 'analysing', deadline_passed: 'analysing', ...DECIDED },
      },
      analysing: {
        shows: 'PROCESSING',
        over: false,
        steps: { reply_refused: 'open', return_period_ended: 'lapsed', ...DECIDED },
      },
      accepted: {
        shows: 'ACCEPTED',
        over: false,
        steps: { returned: 'resolved', closed_without_funds: 'resolved', withdrawn: 'cancelled' },
      },
      resolved: { shows: 'ACCEPTED', over: true, steps: {} },
      rejected: { shows: 'REJECTED', over: true, steps: {} },
      cancelled: { shows: 'CANCELLED', over: true, steps: {} },
      lapsed: { shows: 'PROCESSING', over: true, steps: { ...DECIDED, agreed: 'resolved' } },
    },
  })

  test('an unresolved dispute refuses refunds of its charge', () =>
    expect(UNRESOLVED_DISPUTE_STATES).toEqual(['open', 'analysing', 'accepted']))
})

describe('the meaning of a provider’s status', () => {
  const back = [{ id: '1', endToEnd: 'D', cents: 1, at: '2026-11-21T12:00:00.000Z' }]
  type Said = Pick<ProviderDispute, 'status' | 'returns' | 'isClosed'>
  const says = (status: ProviderDispute['status'], more: Partial<Said> = {}): Said => ({
    status,
    returns: [],
    isClosed: false,
    ...more,
  })

  test.each<[DisputeState, string, Said, DisputeEvent[]]>([
    ['requesting', 'that it has the request', says('open'), ['requested']],
    ['requesting', 'that it analyses it', says('analysing'), ['requested', 'replied']],
    ['requesting', 'agreed at once', says('agreed'), ['requested', 'agreed']],
    ['requesting', 'withdrawn there', says('withdrawn'), ['requested', 'withdrawn']],
    ['refused', 'agreed, late', says('agreed'), []],
    ['open', 'nothing new', says('open'), []],
    ['open', 'that it was answered there', says('analysing'), ['replied']],
    ['open', 'agreed', says('agreed'), ['agreed']],
    ['open', 'disagreed', says('disagreed'), ['disagreed']],
    ['open', 'withdrawn', says('withdrawn'), ['withdrawn']],
    ['open', 'agreed and returned', says('agreed', { returns: back }), ['agreed']],
    ['analysing', 'open still: our reply is on its way', says('open'), []],
    ['analysing', 'analysing', says('analysing'), []],
    [
      'analysing',
      'closed without a decision',
      says('analysing', { isClosed: true }),
      ['return_period_ended'],
    ],
    ['open', 'the same', says('analysing', { isClosed: true }), ['replied', 'return_period_ended']],
    ['lapsed', 'the same again', says('analysing', { isClosed: true }), []],
    ['lapsed', 'agreed, late', says('agreed', { isClosed: true }), ['agreed']],
    ['lapsed', 'disagreed, late', says('disagreed', { isClosed: true }), ['disagreed']],
    ['analysing', 'agreed', says('agreed'), ['agreed']],
    ['analysing', 'disagreed', says('disagreed'), ['disagreed']],
    ['analysing', 'withdrawn', says('withdrawn'), ['withdrawn']],
    ['accepted', 'agreed again', says('agreed'), []],
    ['accepted', 'withdrawn', says('withdrawn'), ['withdrawn']],
    ['accepted', 'the opposite, late', says('disagreed'), []],
    ['resolved', 'withdrawn, late', says('withdrawn'), []],
    ['resolved', 'agreed again', says('agreed'), []],
    ['rejected', 'agreed, late', says('agreed', { returns: back }), []],
    ['cancelled', 'agreed, late', says('agreed'), []],
  ])('%s · %s', (state, _, facts, steps) => expect(eventsToDecision(state, facts)).toEqual(steps))

  const closed = { isClosed: true }
  test.each<[DisputeState, string, Said, 'more' | 'no more', DisputeEvent | null]>([
    ['accepted', 'nothing yet', says('agreed'), 'more', null],
    ['accepted', 'nothing yet', says('agreed'), 'no more', null],
    ['accepted', 'a part', says('agreed', { returns: back }), 'more', null],
    ['accepted', 'all', says('agreed', { returns: back }), 'no more', 'returned'],
    ['accepted', 'all that it will', says('agreed', { returns: back, ...closed }), 'more', 'returned'],
    ['accepted', 'nothing at all', says('agreed', closed), 'more', 'closed_without_funds'],
    ['accepted', 'a part, and was withdrawn', says('withdrawn', { returns: back }), 'no more', null],
    ['resolved', 'another part', says('agreed', { returns: [...back, ...back], ...closed }), 'no more', null],
    ['rejected', 'all, late', says('agreed', { returns: back }), 'no more', null],
  ])('%s · returned: %s', (state, _, facts, rest, end) =>
    expect(endOfAcceptedDispute(state, facts, rest === 'more')).toBe(end),
  )

  test.each([
    ['something is claimed', 100, 60, 40, false, true],
    ['nothing is claimed, and nothing is left of the PIX', 100, 0, 40, false, false],
    ['nothing is claimed while something is left', 100, 0, 40, true, true],
    ['all is returned', 100, 0, 100, true, false],
  ])('more may be returned · %s', (_, valueCents, claimedCents, returnedCents, isMoneyLeft, expected) =>
    expect(mayReturnMore({ valueCents, claimedCents, returnedCents }, isMoneyLeft)).toBe(expected),
  )
})

test.each([
  ['SCAM', 'SCAM'],
  ['ACCOUNT_TAKEOVER', 'WRONG_TRANSACTION'],
  ['COERCION', 'COERCION_CRIME'],
  ['FRAUDULENT_ACCESS', 'UNAUTHORIZED_ACCESS'],
  ['OTHER', 'UNDEFINED'],
  ['UNKNOWN', 'UNDEFINED'],
  ['something new', 'UNDEFINED'],
  ['constructor', 'UNDEFINED'],
])('DICT’s %s is %s', (situation, type) => expect(disputeTypeOf(situation)).toBe(type))

test.each([
  ['SCAM', 'SCAM'],
  ['WRONG_TRANSACTION', 'ACCOUNT_TAKEOVER'],
  ['COERCION_CRIME', 'COERCION'],
  ['UNAUTHORIZED_ACCESS', 'FRAUDULENT_ACCESS'],
  ['UNDEFINED', 'OTHER'],
] as const)('a request of type %s has DICT’s situation %s', (type, situation) =>
  expect(situationOf(type)).toBe(situation),
)

const EIGHTY_DAYS = 80 * 86_400_000
test.each([
  ['a settled transfer', { state: 'paid' }, null],
  ['one that came back in part', { state: 'partially_refunded' }, null],
  ['one that came back whole', { state: 'refunded' }, 'transfer_not_disputable'],
  ['one that has failed', { state: 'failed', settledAtMs: null }, 'transfer_not_disputable'],
  ['one in progress', { state: 'settling', settledAtMs: null }, 'transfer_not_disputable'],
  ['one that was disputed before', { isRequested: true }, 'med_already_asked'],
  ['one of 80 days ago', { nowMs: EIGHTY_DAYS }, null],
  ['one of more than 80 days ago', { nowMs: EIGHTY_DAYS + 1 }, 'med_period_over'],
] as const)('a request for the money of %s', (_, changes, code) => {
  const transfer = { state: 'paid', settledAtMs: 0, isRequested: false, nowMs: 1_000, ...changes } as const
  expect(requestErrorCodeOf(transfer)).toBe(code)
})

test.each([
  ['REQUESTED_MED', 'open', true],
  ['REQUESTED_MED', 'analysing', true],
  ['REQUESTED_MED', 'accepted', true],
  ['REQUESTED_MED', 'requesting', false],
  ['REQUESTED_MED', 'lapsed', false],
  ['REQUESTED_MED', 'resolved', false],
  ['RECEIVED_MED', 'open', false],
] as const)('a %s that is %s can be cancelled: %s', (kind, state, isCancellable) =>
  expect(isCancellableDispute({ kind, state })).toBe(isCancellable),
)

test.each([
  ['the provider’s, where it is sooner', 1_000, 1_000],
  ['seven days, where the provider has none', null, MAX_ANALYSIS_MS],
  ['seven days, where the provider’s is later', 30 * MAX_ANALYSIS_MS, MAX_ANALYSIS_MS],
])('a deadline is %s', (_, providersMs, due) =>
  expect(replyDeadlineMs({ openedAtMs: 0, providerDeadlineMs: providersMs })).toBe(due),
)

test.each([
  ['an open one accepts a reply', 'RECEIVED_MED', 'open', false, null],
  ['one about a transfer accepts none', 'REQUESTED_MED', 'open', false, 'med_not_answerable'],
  ['only one reply', 'RECEIVED_MED', 'analysing', true, 'med_already_answered'],
  ['no second reply, whatever became of the first', 'RECEIVED_MED', 'rejected', true, 'med_already_answered'],
  ['none after its time', 'RECEIVED_MED', 'analysing', false, 'med_not_answerable'],
  ['none when it is decided', 'RECEIVED_MED', 'accepted', false, 'med_not_answerable'],
] as const)('%s', (_, kind, state, replied, why) =>
  expect(replyErrorCodeOf({ kind, state, hasReply: replied })).toBe(why),
)

test.each([
  ['the requested amount', 40, 100, 40],
  ['the remaining amount', 140, 100, 100],
  ['nothing where no amount remains', 40, 0, 0],
])('it claims %s', (_, askedCents, remainderCents, cents) =>
  expect(computeClaimCents({ requestedCents: askedCents, remainderCents })).toBe(cents),
)

const HOUR = 3_600_000
test.each([
  ['before the first', 49, null, 48],
  ['the first', 48, 48, 24],
  ['after the first', 25, 48, 24],
  ['the second', 24, 24, 6],
  ['the last', 6, 6, 0],
  ['just before the deadline', 1, 6, 0],
  ['the deadline', 0, null, 0],
])('warnings: %s, %d h before it', (_, before, due, next) => {
  const deadline = { dueAtMs: 100 * HOUR, nowMs: (100 - before) * HOUR, timeScale: 1 }
  expect(dueWarningHours(deadline)).toBe(due)
  expect(nextDeadlineMs(deadline)).toBe((100 - next) * HOUR)
})

test.each([
  ['blocked first', 30, { claimedCents: 70, heldCents: 10, retainedCents: 20 }],
  ['then retained', 50, { claimedCents: 50, heldCents: 0, retainedCents: 10 }],
  ['all of it', 100, { claimedCents: 0, heldCents: 0, retainedCents: 0 }],
  ['more than was claimed', 130, { claimedCents: 0, heldCents: 0, retainedCents: 0 }],
])('a return takes %s', (_, cents, after) =>
  expect(coverAfterReturn({ claimedCents: 100, heldCents: 40, retainedCents: 20 }, cents)).toEqual(after),
)

test('it lacks what is neither held nor retained', () =>
  expect(computeUncoveredCents({ claimedCents: 100, heldCents: 30, retainedCents: 25 })).toBe(45))
