import { expect, test } from '@jest/globals'
import {
  DELIVERY_STATUSES,
  type DeliveryEvent,
  type DeliveryStatus,
  deliveryMachine,
} from '../../../src/domain/webhooks/delivery.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

const EVENTS: readonly DeliveryEvent[] = [
  'accepted',
  'given_up',
  'endpoint_disabled',
  'endpoint_deleted',
  'resent',
]
const ended = { accepted: 'DELIVERED', resent: 'PENDING' } as const

testStateMachine<DeliveryStatus, DeliveryStatus, DeliveryEvent>(deliveryMachine, {
  events: EVENTS,
  expected: {
    PENDING: {
      shows: 'PENDING',
      over: false,
      steps: {
        accepted: 'DELIVERED',
        given_up: 'FAILED',
        endpoint_disabled: 'FAILED',
        endpoint_deleted: 'CANCELLED',
        resent: 'PENDING',
      },
    },
    DELIVERED: { shows: 'DELIVERED', over: true, steps: ended },
    FAILED: { shows: 'FAILED', over: true, steps: ended },
    CANCELLED: { shows: 'CANCELLED', over: true, steps: ended },
  },
})

test.each(EVENTS)(
  '%s leads to one status wherever it is accepted, so that one statement applies it to many rows',
  event => {
    const accepting = DELIVERY_STATUSES.filter(status => deliveryMachine.accepts(status, event))
    expect(new Set(accepting.map(status => deliveryMachine.next(status, event))).size).toBe(1)
  },
)
