import { describe, expect, test } from '@jest/globals'
import {
  type ContestEvent,
  type ContestState,
  computeContestableSince,
  computeContestEnd,
  contestErrorCodeOf,
  contestMachine,
} from '../../../src/domain/disputes/contest.ts'

describe('a contest', () => {
  const steps: [ContestState, ContestEvent, ContestState | null][] = [
    ['pending', 'sent', 'sent'],
    ['pending', 'accepted', null],
    ['pending', 'rejected', null],
    ['sent', 'sent', null],
    ['sent', 'accepted', 'accepted'],
    ['sent', 'rejected', 'rejected'],
    ['accepted', 'sent', null],
    ['accepted', 'accepted', null],
    ['accepted', 'rejected', null],
    ['rejected', 'sent', null],
    ['rejected', 'accepted', null],
    ['rejected', 'rejected', null],
  ]
  test('has every step of its table here', () => {
    expect(steps).toHaveLength(contestMachine.states.length * 3)
  })
  test.each(steps)('%s · %s → %s', (state, event, next) => {
    expect(contestMachine.accepts(state, event)).toBe(next !== null)
    if (next) expect(contestMachine.next(state, event)).toBe(next)
    else expect(() => contestMachine.next(state, event)).toThrow(RangeError)
  })
})

describe('the period in which a return may be contested', () => {
  // Brasília is three hours behind UTC.
  test.each([
    ['2026-09-01T03:00:00.000Z', '2026-11-21T03:00:00.000Z'],
    ['2026-09-02T02:59:59.999Z', '2026-11-21T03:00:00.000Z'],
    ['2026-09-02T03:00:00.000Z', '2026-11-22T03:00:00.000Z'],
    ['2026-12-31T12:00:00.000Z', '2027-03-22T03:00:00.000Z'],
    ['2028-01-15T12:00:00.000Z', '2028-04-05T03:00:00.000Z'],
  ])('of %s ends before %s', (returned, end) => {
    const returnedAt = new Date(returned)
    const endAt = new Date(end)
    expect(computeContestEnd(returnedAt)).toEqual(endAt)
    const contest = { kind: 'RECEIVED_MED', returnedAt, hasContest: false } as const
    const lastMoment = new Date(endAt.getTime() - 1)
    expect(contestErrorCodeOf({ ...contest, now: lastMoment })).toBeNull()
    expect(contestErrorCodeOf({ ...contest, now: endAt })).toBe('contest_period_over')
    // The filter of the list selects the same.
    expect(computeContestableSince(lastMoment).getTime()).toBeLessThanOrEqual(returnedAt.getTime())
    expect(computeContestableSince(endAt).getTime()).toBeGreaterThan(returnedAt.getTime())
  })
})

test.each([
  ['about a transfer of the account', { kind: 'REQUESTED_MED' as const }],
  ['without a return', { returnedAt: null }],
  ['that was contested already', { hasContest: true }],
])('a dispute %s cannot be contested', (_, facts) => {
  const now = new Date('2026-12-01T12:00:00Z')
  const contestable = { kind: 'RECEIVED_MED' as const, returnedAt: now, hasContest: false, now }
  expect(contestErrorCodeOf({ ...contestable, ...facts })).toBe('med_not_contestable')
})
