import { expect, test } from '@jest/globals'
import { createStateMachine } from '../../../src/domain/shared/state-machine.ts'

const machine = createStateMachine<'open' | 'shut' | 'gone', 'USABLE' | 'GONE', 'push' | 'pull' | 'burn'>({
  open: { status: 'USABLE', on: { push: 'shut', burn: 'gone' } },
  shut: { status: 'USABLE', on: { pull: 'open', burn: 'gone' } },
  gone: { status: 'GONE', on: {}, isFinal: true },
})

test('a table lists its states in the order of their definition', () => {
  expect(machine.states).toEqual(['open', 'shut', 'gone'])
})

test('the machine maps each state to its status, and each status to its states', () => {
  expect(machine.states.map(state => machine.statusOf(state))).toEqual(['USABLE', 'USABLE', 'GONE'])
  expect(machine.statesShowing('USABLE')).toEqual(['open', 'shut'])
  expect(machine.statesShowing('GONE')).toEqual(['gone'])
})

test('an event leads where the table says', () => {
  expect(machine.accepts('open', 'push')).toBe(true)
  expect(machine.next('open', 'push')).toBe('shut')
  expect(machine.next('shut', 'burn')).toBe('gone')
})

test('the machine lists the states that follow a state', () => {
  expect(machine.states.map(state => machine.nextStates(state))).toEqual([
    ['shut', 'gone'],
    ['open', 'gone'],
    [],
  ])
})

test('an event that a state does not list is not accepted, and applying it throws', () => {
  expect(machine.accepts('open', 'pull')).toBe(false)
  expect(machine.accepts('gone', 'burn')).toBe(false)
  expect(() => machine.next('open', 'pull')).toThrow(new RangeError('no pull in state open'))
})

test('only the states marked final are final', () => {
  expect(machine.states.filter(state => machine.isFinal(state))).toEqual(['gone'])
})
