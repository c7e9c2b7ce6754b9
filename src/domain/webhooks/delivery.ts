import { createStateMachine } from '../shared/state-machine.ts'

/** Statuses of a webhook delivery: one event for one endpoint (SPEC §8). */
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
/** How a delivery ended. */
export type DeliveryOutcome = Exclude<DeliveryStatus, 'PENDING'>

/**
 * `accepted`: the endpoint answered an attempt with 2xx; `given_up`: the last attempt of the retry schedule failed;
 * `endpoint_disabled` and `endpoint_deleted`: its endpoint receives nothing more; `resent`: the account wants it attempted again.
 */
export type DeliveryEvent = 'accepted' | 'given_up' | 'endpoint_disabled' | 'endpoint_deleted' | 'resent'

/** An attempt may be in progress when its delivery ends: what its endpoint accepts is delivered. */
const AFTER_END = { accepted: 'DELIVERED', resent: 'PENDING' } as const

/** State machine of a delivery. What its endpoint has accepted neither fails nor is cancelled. */
export const deliveryMachine = createStateMachine<DeliveryStatus, DeliveryStatus, DeliveryEvent>({
  PENDING: {
    status: 'PENDING',
    on: {
      accepted: 'DELIVERED',
      given_up: 'FAILED',
      resent: 'PENDING',
      endpoint_disabled: 'FAILED',
      endpoint_deleted: 'CANCELLED',
    },
  },
  DELIVERED: { status: 'DELIVERED', on: AFTER_END, isFinal: true },
  FAILED: { status: 'FAILED', on: AFTER_END, isFinal: true },
  CANCELLED: { status: 'CANCELLED', on: AFTER_END, isFinal: true },
})
