import { describe, expect, test } from '@jest/globals'
import {
  type ChargeEvent,
  type ChargeState,
  chargeMachine,
  isIssuedChargeState,
  PAYMENT_EVENT_STATES,
} from '../../../src/domain/charges/charge.ts'
import { PAYMENT_STATUSES } from '../../../src/domain/shared/payment-status.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

const EVENTS = Object.keys({
  issued: true,
  no_provider_issued: true,
  payment_started: true,
  payment_confirmed: true,
  payment_failed: true,
  payment_failed_after_expiry: true,
  payment_failed_after_cancellation: true,
  payload_expired: true,
  cancelled: true,
  refund_requested: true,
  refund_settled_whole: true,
  refund_settled_in_part: true,
  cancelled_before_restore: true,
  expired_before_restore: true,
  refund_failed: true,
  refund_failed_after_another: true,
  debit_started: true,
  debit_failed: true,
} satisfies Record<ChargeEvent, true>) as ChargeEvent[]

describe('the state machine of a charge (SPEC §2)', () => {
  testStateMachine<ChargeState, (typeof PAYMENT_STATUSES)[number], ChargeEvent>(chargeMachine, {
    events: EVENTS,
    expected: {
      issuing: {
        shows: 'UNDEFINED',
        over: false,
        steps: {
          issued: 'pending',
          no_provider_issued: 'failed',
          cancelled_before_restore: 'cancelled',
          expired_before_restore: 'expired',
        },
      },
      pending: {
        shows: 'PENDING',
        over: false,
        steps: {
          payment_started: 'paying',
          payload_expired: 'expired',
          cancelled: 'cancelled',
          debit_started: 'debiting',
          debit_failed: 'failed',
        },
      },
      // The day of a debit: no PIX has arrived yet.
      debiting: {
        shows: 'PROCESSING',
        over: false,
        steps: {
          payment_started: 'paying',
          payload_expired: 'expired',
          cancelled: 'cancelled',
          debit_failed: 'failed',
        },
      },
      paying: {
        shows: 'PROCESSING',
        over: false,
        steps: {
          payment_confirmed: 'paid',
          payment_failed: 'pending',
          payment_failed_after_expiry: 'expired',
          payment_failed_after_cancellation: 'cancelled',
        },
      },
      paid: { shows: 'PAID', over: true, steps: { refund_requested: 'refunding' } },
      refunding: {
        shows: 'PROCESSING',
        over: true,
        steps: {
          refund_settled_whole: 'refunded',
          refund_settled_in_part: 'partially_refunded',
          refund_failed: 'paid',
          refund_failed_after_another: 'partially_refunded',
        },
      },
      partially_refunded: {
        shows: 'PARTIALLY_REFUNDED',
        over: true,
        steps: { refund_requested: 'refunding' },
      },
      refunded: { shows: 'REFUNDED', over: true, steps: {} },
      failed: { shows: 'FAILED', over: true, steps: {} },
      // A late payment: money that arrived is always credited.
      expired: { shows: 'EXPIRED', over: true, steps: { payment_started: 'paying' } },
      cancelled: { shows: 'CANCELLED', over: true, steps: { payment_started: 'paying' } },
    },
  })
})

test('every status of the contract is shown by a state', () => {
  for (const status of PAYMENT_STATUSES) expect(chargeMachine.statesShowing(status)).not.toEqual([])
  expect(new Set(chargeMachine.states.map(state => chargeMachine.statusOf(state)))).toEqual(
    new Set(PAYMENT_STATUSES),
  )
})

test('the merchant is sent the events of SPEC §8, and none for an intermediate state', () => {
  expect(PAYMENT_EVENT_STATES.map(state => chargeMachine.statusOf(state)).sort()).toEqual([
    'CANCELLED',
    'EXPIRED',
    'FAILED',
    'PAID',
    'PARTIALLY_REFUNDED',
    'REFUNDED',
  ])
})

test('a provider holds every charge but one that is not issued', () => {
  expect(chargeMachine.states.filter(state => !isIssuedChargeState(state))).toEqual(['issuing', 'failed'])
})

test('money can still arrive wherever a payload was shown and no payment is in progress or settled', () => {
  expect(chargeMachine.states.filter(state => chargeMachine.accepts(state, 'payment_started'))).toEqual([
    'pending',
    'debiting',
    'expired',
    'cancelled',
  ])
})
