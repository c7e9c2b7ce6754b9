import { expect, test } from '@jest/globals'
import { machine } from '../../src/domain/machine.ts'

const door = machine<'open' | 'shut' | 'gone', 'USABLE' | 'GONE', 'push' | 'pull' | 'burn'>({
  open: { shows: 'USABLE', on: { push: 'shut', burn: 'gone' } },
  shut: { shows: 'USABLE', on: { pull: 'open', burn: 'gone' } },
  gone: { shows: 'GONE', on: {}, over: true },
})

test('a table knows its states, in the order in which they are written', () => {
  expect(door.states).toEqual(['open', 'shut', 'gone'])
})

test('it says what each state shows, and which states show it', () => {
  expect(door.states.map(state => door.shows(state))).toEqual(['USABLE', 'USABLE', 'GONE'])
  expect(door.shown('USABLE')).toEqual(['open', 'shut'])
  expect(door.shown('GONE')).toEqual(['gone'])
})

test('an event leads where the table says', () => {
  expect(door.accepts('open', 'push')).toBe(true)
  expect(door.next('open', 'push')).toBe('shut')
  expect(door.next('shut', 'burn')).toBe('gone')
})

test('it says where a state leads', () => {
  expect(door.states.map(state => door.leadsTo(state))).toEqual([['shut', 'gone'], ['open', 'gone'], []])
})

test('an event that a state does not list is not accepted there, and taking it is a bug', () => {
  expect(door.accepts('open', 'pull')).toBe(false)
  expect(door.accepts('gone', 'burn')).toBe(false)
  expect(() => door.next('open', 'pull')).toThrow(new RangeError('no pull in state open'))
})

test('a life is over only where the table says so', () => {
  expect(door.states.filter(state => door.isOver(state))).toEqual(['gone'])
})
