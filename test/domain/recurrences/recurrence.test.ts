import { describe, expect, test } from '@jest/globals'
import {
  isChargeableRecurrenceState,
  RECURRENCE_STATUSES,
  type RecurrenceEvent,
  recurrenceMachine,
} from '../../../src/domain/recurrences/recurrence.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

const EVENTS = Object.keys({
  created: true,
  no_provider_created: true,
  received: true,
  activated: true,
  rejected: true,
  expired: true,
  cancelled: true,
  ended: true,
} satisfies Record<RecurrenceEvent, true>) as RecurrenceEvent[]

describe('a recurrence', () => {
  testStateMachine(recurrenceMachine, {
    events: EVENTS,
    expected: {
      creating: {
        shows: 'PENDING',
        over: false,
        steps: { created: 'pending', no_provider_created: 'failed' },
      },
      pending: {
        shows: 'PENDING',
        over: false,
        steps: {
          received: 'processing',
          activated: 'active',
          rejected: 'rejected',
          expired: 'expired',
          cancelled: 'cancelled',
        },
      },
      processing: {
        shows: 'PROCESSING',
        over: false,
        steps: { activated: 'active', rejected: 'rejected', expired: 'expired', cancelled: 'cancelled' },
      },
      active: { shows: 'ACTIVE', over: false, steps: { cancelled: 'cancelled', ended: 'ended' } },
      rejected: { shows: 'REJECTED', over: true, steps: {} },
      expired: { shows: 'EXPIRED', over: true, steps: {} },
      cancelled: { shows: 'CANCELLED', over: true, steps: {} },
      ended: { shows: 'ENDED', over: true, steps: {} },
      failed: { shows: 'FAILED', over: true, steps: {} },
    },
  })
})

test('every status is shown by a state', () => {
  expect(new Set(recurrenceMachine.states.map(state => recurrenceMachine.statusOf(state)))).toEqual(
    new Set(RECURRENCE_STATUSES),
  )
})

test('charges are created while a recurrence is authorized, and at no other time', () => {
  expect(recurrenceMachine.states.filter(isChargeableRecurrenceState)).toEqual(['active'])
})
