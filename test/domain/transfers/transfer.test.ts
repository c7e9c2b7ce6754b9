import { describe, expect, test } from '@jest/globals'
import type { PAYMENT_STATUSES } from '../../../src/domain/shared/payment-status.ts'
import {
  type TransferEvent,
  type TransferState,
  transferMachine,
} from '../../../src/domain/transfers/transfer.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

const EVENTS = Object.keys({
  approval_requested: true,
  approved: true,
  possibly_sent: true,
  sending_started: true,
  postponed: true,
  accepted: true,
  refused: true,
  settled: true,
  rejected: true,
  not_started: true,
  cancelled: true,
  never_sent: true,
  settled_late: true,
  returned_in_part: true,
  returned_whole: true,
} satisfies Record<TransferEvent, true>) as TransferEvent[]

const RETURNS = { returned_in_part: 'partially_refunded', returned_whole: 'refunded' } as const

describe('the state machine of a transfer (SPEC §4)', () => {
  testStateMachine<TransferState, (typeof PAYMENT_STATUSES)[number], TransferEvent>(transferMachine, {
    events: EVENTS,
    expected: {
      created: {
        shows: 'PENDING',
        over: false,
        steps: {
          approval_requested: 'held',
          sending_started: 'sending',
          refused: 'failed',
          not_started: 'failed',
          cancelled: 'cancelled',
          never_sent: 'expired',
        },
      },
      held: {
        shows: 'PENDING',
        over: false,
        steps: {
          approved: 'approved',
          possibly_sent: 'sending',
          refused: 'failed',
          cancelled: 'cancelled',
          never_sent: 'expired',
        },
      },
      approved: {
        shows: 'PENDING',
        over: false,
        steps: {
          sending_started: 'sending',
          refused: 'failed',
          cancelled: 'cancelled',
          never_sent: 'expired',
        },
      },
      sending: {
        shows: 'PROCESSING',
        over: false,
        steps: { accepted: 'settling', refused: 'failed', postponed: 'created' },
      },
      settling: { shows: 'PROCESSING', over: false, steps: { settled: 'paid', rejected: 'failed' } },
      paid: { shows: 'PAID', over: true, steps: RETURNS },
      partially_refunded: { shows: 'PARTIALLY_REFUNDED', over: true, steps: RETURNS },
      refunded: { shows: 'REFUNDED', over: true, steps: {} },
      // The ledger follows the money.
      failed: { shows: 'FAILED', over: true, steps: { settled_late: 'paid' } },
      cancelled: { shows: 'CANCELLED', over: true, steps: { settled_late: 'paid' } },
      expired: { shows: 'EXPIRED', over: true, steps: { settled_late: 'paid' } },
    },
  })
})

test('once a provider has accepted, only its own answer ends a transfer', () => {
  expect(EVENTS.filter(event => transferMachine.accepts('settling', event))).toEqual(['settled', 'rejected'])
})

test('only an unsent transfer can be cancelled, expire or be refused as too late', () => {
  const statesOf = (event: TransferEvent) =>
    transferMachine.states.filter(state => transferMachine.accepts(state, event))
  for (const event of ['cancelled', 'never_sent'] as const)
    expect(statesOf(event)).toEqual(['created', 'held', 'approved'])
  expect(statesOf('not_started')).toEqual(['created'])
})

test('a transfer that waits for approvals is called to no provider before it is approved', () => {
  expect(EVENTS.filter(event => transferMachine.accepts('held', event))).not.toContain('sending_started')
})

test('a transfer whose money moved is never shown as not moved: from PAID only returns lead on', () => {
  const reached = new Set<TransferState>(['paid'])
  for (const state of reached)
    for (const event of EVENTS)
      if (transferMachine.accepts(state, event)) reached.add(transferMachine.next(state, event))
  expect([...reached].toSorted()).toEqual(['paid', 'partially_refunded', 'refunded'])
})
