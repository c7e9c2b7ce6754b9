import { createStateMachine } from '../shared/state-machine.ts'

export type ChargeRevisionStatus = 'requested' | 'revised' | 'refused' | 'unchanged'
type ChargeRevisionEvent = 'revised' | 'refused'

/**
 * State machine of a revision of a charge with a due date (SPEC §2). It is `requested` before its provider is called, until the provider has
 * accepted it, or it is known that the provider never will: it has refused, or the charge was paid by other terms, or has ended. One that
 * asks for what the charge asks already is stored as `unchanged`, and no provider is called.
 */
export const chargeRevisionMachine = createStateMachine<
  ChargeRevisionStatus,
  ChargeRevisionStatus,
  ChargeRevisionEvent
>({
  requested: { status: 'requested', on: { revised: 'revised', refused: 'refused' } },
  revised: { status: 'revised', on: {}, isFinal: true },
  refused: { status: 'refused', on: {}, isFinal: true },
  unchanged: { status: 'unchanged', on: {}, isFinal: true },
})
