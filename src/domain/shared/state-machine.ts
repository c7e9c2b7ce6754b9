/**
 * A state machine as a table: each state has the status that it shows, and the state that each event leads to.
 * An event that a state does not list is not accepted there; nothing else decides it.
 */
export type StateTable<State extends string, Shown extends string, Event extends string> = Record<
  State,
  {
    status: Shown
    on: Partial<Record<Event, State>>
    /** The workflow ends in this state. A later event may start it again from its row. */
    isFinal?: true
  }
>

export type StateMachine<State extends string, Shown extends string, Event extends string> = {
  states: State[]
  statusOf(state: State): Shown
  accepts(state: State, event: Event): boolean
  /** The state after the event; throws where the table has no such step, which is a bug of the caller. */
  next(state: State, event: Event): State
  /** The states that one step leads to. */
  nextStates(state: State): State[]
  isFinal(state: State): boolean
  /** The states that are shown to the outside as `status`. */
  statesShowing(status: Shown): State[]
}

/** Builds the functions over a table of states. */
export function createStateMachine<State extends string, Shown extends string, Event extends string>(
  table: StateTable<State, Shown, Event>,
): StateMachine<State, Shown, Event> {
  const states = Object.keys(table) as State[]
  return {
    states,
    statusOf: state => table[state].status,
    accepts: (state, event) => table[state].on[event] !== undefined,
    next(state, event) {
      const nextState = table[state].on[event]
      if (nextState === undefined) throw new RangeError(`no ${event} in state ${state}`)
      return nextState
    },
    nextStates: state => Object.values(table[state].on) as State[],
    isFinal: state => table[state].isFinal === true,
    statesShowing: status => states.filter(state => table[state].status === status),
  }
}
