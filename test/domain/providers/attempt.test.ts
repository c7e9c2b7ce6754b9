import { describe, expect, test } from '@jest/globals'
import {
  ATTEMPT_MACHINES,
  type AttemptEvent,
  type AttemptOperation,
  type AttemptProof,
  type AttemptState,
  isEndedAttempt,
  proofOf,
} from '../../../src/domain/providers/attempt.ts'
import type { StateMachine } from '../../../src/domain/shared/state-machine.ts'
import { type ExpectedStates, testStateMachine } from '../support/state-machine-suite.ts'

const EVENTS: readonly AttemptEvent[] = [
  'preparation_started',
  'called',
  'accepted',
  'refused',
  'not_reached',
  'unanswered',
  'settled',
  'settled_twice',
  'superseded',
  'orphaned',
  'removed',
]

type Steps = Partial<Record<AttemptEvent, AttemptState>>
const PREPARING: Steps = { preparation_started: 'preparing' }
const CALLED: Steps = { called: 'calling' }
const ACCEPTED: Steps = { accepted: 'accepted' }
const REFUSED: Steps = { refused: 'rejected', not_reached: 'unreachable' }
const UNANSWERED: Steps = { unanswered: 'unknown' }
const SETTLED: Steps = { settled: 'settled', settled_twice: 'duplicate' }
const SUPERSEDED: Steps = { superseded: 'unreachable' }
const ORPHANED: Steps = { orphaned: 'orphan' }

const open = (steps: Steps) => ({ shows: 'open', over: false, steps })
const done = { shows: 'done', over: true, steps: {} }
const notDone = (steps: Steps) => ({ shows: 'not_done', over: true, steps })

const live = { ...CALLED, ...ACCEPTED, ...REFUSED, ...UNANSWERED, ...SETTLED, ...SUPERSEDED }
const again = { ...PREPARING, ...CALLED, ...REFUSED, ...UNANSWERED, ...SETTLED }
const PAYOUT: Partial<ExpectedStates<AttemptState, AttemptEvent>> = {
  preparing: open({ ...PREPARING, ...live }),
  calling: open(live),
  unknown: open(live),
  accepted: open({ ...ACCEPTED, refused: 'rejected', ...SETTLED, ...SUPERSEDED }),
  rejected: notDone(again),
  unreachable: notDone(again),
  settled: done,
  duplicate: done,
}
const EXPECTED: Record<AttemptOperation, Partial<ExpectedStates<AttemptState, AttemptEvent>>> = {
  transfer: PAYOUT,
  refund: PAYOUT,
  return: PAYOUT,
  issue: {
    calling: open({ ...ACCEPTED, ...REFUSED, ...ORPHANED }),
    orphan: open({ ...ACCEPTED, ...ORPHANED, removed: 'closed' }),
    accepted: done,
    rejected: notDone({ ...ACCEPTED, ...ORPHANED }),
    unreachable: notDone({ ...ACCEPTED, ...ORPHANED }),
    closed: notDone({}),
  },
  create_key: {
    calling: open({ ...ACCEPTED, ...REFUSED, ...UNANSWERED }),
    unknown: open({ ...ACCEPTED, ...REFUSED, ...UNANSWERED }),
    accepted: done,
    rejected: notDone({}),
    unreachable: notDone({}),
  },
  delete_key: {
    calling: open({ ...CALLED, ...ACCEPTED, ...REFUSED, ...UNANSWERED }),
    unknown: open({ ...CALLED, ...ACCEPTED, ...REFUSED, ...UNANSWERED }),
    accepted: done,
    rejected: notDone(CALLED),
    unreachable: notDone(CALLED),
  },
  // Called again at the same provider alone, once it is proved absent there.
  create_recurrence: {
    calling: open({ ...CALLED, ...ACCEPTED, ...REFUSED, ...UNANSWERED }),
    unknown: open({ ...CALLED, ...ACCEPTED, ...REFUSED, ...UNANSWERED }),
    accepted: done,
    rejected: notDone({}),
    unreachable: notDone({}),
  },
}

describe.each(Object.entries(EXPECTED))('the attempts at operation %s (SPEC §6)', (operation, expected) => {
  testStateMachine<AttemptState, AttemptProof, AttemptEvent>(
    ATTEMPT_MACHINES[operation as AttemptOperation] as StateMachine<AttemptState, AttemptProof, AttemptEvent>,
    { events: EVENTS, expected: expected as ExpectedStates<AttemptState, AttemptEvent> },
  )
})

test('a payout that its provider has accepted is not called again, and a settlement is never taken back', () => {
  const { accepts } = ATTEMPT_MACHINES.transfer
  expect(EVENTS.filter(event => accepts('settled', event) || accepts('duplicate', event))).toEqual([])
  expect(accepts('accepted', 'called')).toBe(false)
  expect(accepts('accepted', 'unanswered')).toBe(false)
})

test('a payout that may have been sent is not prepared anew: another preparation would be another payment', () => {
  const { states, accepts } = ATTEMPT_MACHINES.transfer
  const preparable = states.filter(state => accepts(state, 'preparation_started'))
  expect(preparable).toEqual(['preparing', 'rejected', 'unreachable'])
})

test('an accepted charge is done, an accepted payout is under way', () => {
  expect(proofOf({ operation: 'issue', state: 'accepted' })).toBe('done')
  expect(proofOf({ operation: 'transfer', state: 'accepted' })).toBe('open')
  expect(isEndedAttempt({ operation: 'refund', state: 'accepted' })).toBe(false)
  expect(isEndedAttempt({ operation: 'create_key', state: 'accepted' })).toBe(true)
})
