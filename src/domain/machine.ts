/**
 * A state machine as a table: each state has the status that it shows, and the state that each event leads to.
 * An event that a state does not list is not accepted there; nothing else decides it.
 */
export type Table<State extends string, Shown extends string, Event extends string> = Record<
  State,
  {
    shows: Shown
    on: Partial<Record<Event, State>>
    /** The workflow ends in this state. A later event may start it again from its row. */
    over?: true
  }
>

export type Machine<State extends string, Shown extends string, Event extends string> = {
  states: State[]
  shows(state: State): Shown
  accepts(state: State, event: Event): boolean
  /** The state after the event; throws where the table has no such step, which is a bug of the caller. */
  next(state: State, event: Event): State
  /** The states that one step leads to. */
  leadsTo(state: State): State[]
  isOver(state: State): boolean
  /** The states in which the outside sees `shown`. */
  shown(as: Shown): State[]
}

/** Builds the functions over a table of states. */
export function machine<State extends string, Shown extends string, Event extends string>(
  table: Table<State, Shown, Event>,
): Machine<State, Shown, Event> {
  const states = Object.keys(table) as State[]
  return {
    states,
    shows: state => table[state].shows,
    accepts: (state, event) => table[state].on[event] !== undefined,
    next(state, event) {
      const next = table[state].on[event]
      if (next === undefined) throw new RangeError(`no ${event} in state ${state}`)
      return next
    },
    leadsTo: state => Object.values(table[state].on) as State[],
    isOver: state => table[state].over === true,
    shown: as => states.filter(state => table[state].shows === as),
  }
}
