import { expect, test } from '@jest/globals'
import type { Machine } from '../../src/domain/machine.ts'

/** What SPEC says of a life: what each state shows, whether it is over, and every step; all other pairs are forbidden. */
export type Expected<State extends string, Event extends string> = Record<
  State,
  { shows: string; over: boolean; steps: Partial<Record<Event, State>> }
>

/** Walks a whole table, every state by every event. */
export function walk<State extends string, Shown extends string, Event extends string>(
  life: Machine<State, Shown, Event>,
  { events, expected }: { events: readonly Event[]; expected: Expected<State, Event> },
): void {
  const states = Object.keys(expected) as State[]
  test('the table has these states and no others', () =>
    expect([...life.states].sort()).toEqual([...states].sort()))
  for (const state of states) {
    const { shows, over, steps } = expected[state]
    test(`${state} shows ${shows}${over ? ' and is over' : ''}`, () => {
      expect(life.shows(state)).toBe(shows)
      expect(life.shown(shows as Shown)).toContain(state)
      expect(life.isOver(state)).toBe(over)
    })
    test.each(events.map(event => [event, steps[event] ?? 'forbidden'] as const))(
      `${state} · %s → %s`,
      (event, next) => {
        expect(life.accepts(state, event)).toBe(next !== 'forbidden')
        if (next === 'forbidden') expect(() => life.next(state, event)).toThrow(RangeError)
        else expect(life.next(state, event)).toBe(next)
      },
    )
  }
}
