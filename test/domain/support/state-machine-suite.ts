import { expect, test } from '@jest/globals'
import type { StateMachine } from '../../../src/domain/shared/state-machine.ts'

/**
 * What SPEC says of a state machine: each state's status, whether it is final, and every step; all other pairs are
 * forbidden.
 */
export type ExpectedStates<State extends string, Event extends string> = Record<
  State,
  { shows: string; over: boolean; steps: Partial<Record<Event, State>> }
>

/** Tests a whole table, every state by every event. */
export function testStateMachine<State extends string, Shown extends string, Event extends string>(
  machine: StateMachine<State, Shown, Event>,
  { events, expected }: { events: readonly Event[]; expected: ExpectedStates<State, Event> },
): void {
  const states = Object.keys(expected) as State[]
  test('the table has these states and no others', () =>
    expect([...machine.states].sort()).toEqual([...states].sort()))
  for (const state of states) {
    const { shows, over, steps } = expected[state]
    test(`${state} shows ${shows}${over ? ' and is over' : ''}`, () => {
      expect(machine.statusOf(state)).toBe(shows)
      expect(machine.statesShowing(shows as Shown)).toContain(state)
      expect(machine.isFinal(state)).toBe(over)
    })
    test.each(events.map(event => [event, steps[event] ?? 'forbidden'] as const))(
      `${state} · %s → %s`,
      (event, next) => {
        expect(machine.accepts(state, event)).toBe(next !== 'forbidden')
        if (next === 'forbidden') expect(() => machine.next(state, event)).toThrow(RangeError)
        else expect(machine.next(state, event)).toBe(next)
      },
    )
  }
}
