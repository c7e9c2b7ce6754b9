import { expect, test } from '@jest/globals'
import type { Operation } from './operations.ts'
import type { FaultEvent } from './planned-faults.ts'
import { planStorm, runStorm } from './storm.ts'

test('one seed plans one storm, and another seed plans another', () => {
  const plan = (seed: number) => {
    const { operations, faults } = planStorm(seed, 500)
    return { operations, faults }
  }
  expect(plan(7)).toEqual(plan(7))
  expect(plan(7)).not.toEqual(plan(8))
})

/**
 * Any seed must pass (`npm run chaos`). This one draws every kind of operation and of fault early, and its late payment
 * too, so that the storm is short.
 */
const SEED = 738981
const OPERATIONS = 200

test('a short storm has every kind of operation, and every fault that delays no storm for long', async () => {
  const planned = planKinds(SEED, OPERATIONS)
  const everything = planKinds(1, 5_000)
  expect(everything.filter(kind => !planned.includes(kind)).sort()).toEqual(['load', 'sleep', 'stall'])
})

test('a short storm breaks no invariant', async () => {
  const { violations, pendingWork: unrest } = await runStorm({ seed: SEED, operations: OPERATIONS })
  expect({ violations, unrest }).toEqual({ violations: [], unrest: {} })
})

/** Names the kinds of operations and of faults that a storm plans, each once. */
function planKinds(seed: number, count: number): string[] {
  const { operations, faults } = planStorm(seed, count)
  return [...new Set([...operations.map(nameOperation), ...faults.map(nameFault)])]
}

function nameOperation(operation: Operation): string {
  switch (operation.kind) {
    case 'charge':
      return operation.due ? `charge due at ${operation.due.api}` : 'charge'
    case 'pay':
      return operation.daysAfterDue === null
        ? `pay ${operation.how}`
        : `pay a charge with a due date ${nameDay(operation.daysAfterDue)}`
    case 'batch':
      return `batch as ${operation.as}`
    case 'repeat':
      return `repeat ${operation.body}`
    case 'transfer':
      if (operation.scheduledInS !== null) return 'transfer scheduled'
      if (operation.lookUp !== null) return `transfer after a look-up, ${operation.lookUp}`
      return `transfer to ${operation.to.kind === 'key' ? operation.to.key : operation.to.kind}`
    default:
      return operation.kind
  }
}

function nameDay(daysAfterDue: number): string {
  if (daysAfterDue === 0) return 'on the due day'
  return daysAfterDue < 0 ? 'early' : 'late'
}

function nameFault(event: FaultEvent): string {
  switch (event.kind) {
    case 'fault':
      return `fault ${event.fault}`
    case 'death':
      return `${event.by} ${event.of}`
    case 'panel':
      return `panel ${event.movement}`
    default:
      return event.kind
  }
}
