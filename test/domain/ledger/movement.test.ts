import {
  type MovementEvent,
  type MovementStatus,
  movementMachine,
} from '../../../src/domain/ledger/movement.ts'
import { testStateMachine } from '../support/state-machine-suite.ts'

testStateMachine<MovementStatus, MovementStatus, MovementEvent>(movementMachine, {
  events: ['settled', 'failed'],
  expected: {
    PENDING: { shows: 'PENDING', over: false, steps: { settled: 'SETTLED', failed: 'FAILED' } },
    SETTLED: { shows: 'SETTLED', over: true, steps: { settled: 'SETTLED' } },
    FAILED: { shows: 'FAILED', over: true, steps: { settled: 'SETTLED', failed: 'FAILED' } },
  },
})
