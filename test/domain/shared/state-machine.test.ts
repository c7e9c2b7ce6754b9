import { expect, test } from '@jest/globals'
import { createStateMachine } from '../../../src/domain/shared/state-machine.ts'

const door = createStateMachine<'open' | 'shut' | 'gone', 'USABLE' | 'GONE', 'push' | 'pull' | 'burn'>({
  open: { status: 'USABLE', on: { push: 'shut', burn: 'gone' } },
  shut: { status: 'USABLE', on: { pull: 'open', burn: 'gone' } },
  gone: { status: 'GONE', on: {}, isFinal: true },
})

test('a table lists its states in the order of their definition', () => {
  expect(door.states).toEqual(['open', 'shut', 'gone'])
})

test('the machine maps each state to its status, and each status to its states', () => {
  expect(door.states.map(state => door.statusOf(state))).toEqual(['USABLE', 'USABLE', 'GONE'])
  expect(door.statesShowing('USABLE')).toEqual(['open', 'shut'])
  expect(door.statesShowing('GONE')).toEqual(['gone'])
})

test('an event leads where the table says', () => {
  expect(door.accepts('open', 'push')).toBe(true)
  expect(door.next('open', 'push')).toBe('shut')
  expect(door.next('shut', 'burn')).toBe('gone')
})

test('the machine lists the states that follow a state', () => {
  expect(door.states.map(state => door.nextStates(state))).toEqual([['shut', 'gone'], ['open', 'gone'], []])
})

test('an event that a state does not list is not accepted, and applying it throws', () => {
  expect(door.accepts('open', 'pull')).toBe(false)
  expect(door.accepts('gone', 'burn')).toBe(false)
  expect(() => door.next('open', 'pull')).toThrow(new RangeError('no pull in state open'))
})

test('only the states marked final are final', () => {
  expect(door.states.filter(state => door.isFinal(state))).toEqual(['gone'])
})
