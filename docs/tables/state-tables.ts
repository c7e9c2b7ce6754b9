import type { GuideLanguage } from '../../src/api/docs/guide-pages.ts'
import { chargeMachine } from '../../src/domain/charges/charge.ts'
import { disputeMachine } from '../../src/domain/disputes/dispute.ts'
import { refundMachine } from '../../src/domain/refunds/refund.ts'
import type { StateMachine } from '../../src/domain/shared/state-machine.ts'
import { transferMachine } from '../../src/domain/transfers/transfer.ts'
import { renderTable, replaceMadeTables } from './made-tables.ts'
import {
  CHARGE_GUIDANCE,
  DISPUTE_GUIDANCE,
  REFUND_GUIDANCE,
  type StateGuidance,
  TRANSFER_GUIDANCE,
} from './state-guidance.ts'

/** Tables of docs/guide/<language>/states.md, generated from the state machines that the service itself uses. */

/** Replaces the tables of states of a page, each between the markers of its name. */
export function updateStateTables(page: string, language: GuideLanguage): string {
  return replaceMadeTables(page, {
    'states-charge': renderStateTable(chargeMachine, CHARGE_GUIDANCE, language),
    'states-refund': renderStateTable(refundMachine, REFUND_GUIDANCE, language),
    'states-transfer': renderStateTable(transferMachine, TRANSFER_GUIDANCE, language),
    'states-dispute': renderStateTable(disputeMachine, DISPUTE_GUIDANCE, language),
  })
}

const HEADS: Record<GuideLanguage, string[]> = {
  en: ['status', 'what happens', 'next status'],
  pt: ['status', 'o que acontece', 'próximo status'],
}

function renderStateTable<State extends string, Shown extends string, Event extends string>(
  machine: StateMachine<State, Shown, Event>,
  { notes, events }: StateGuidance<State, Event>,
  language: GuideLanguage,
): string {
  const show = (state: State) => {
    const note = notes[state]?.[language]
    return `\`${machine.statusOf(state)}\`${note ? ` (${note})` : ''}`
  }
  const rows = machine.states.flatMap(state => {
    const steps = (Object.keys(events) as Event[]).filter(event => machine.accepts(state, event))
    return steps.length === 0
      ? [[show(state), '–', '–']]
      : steps.map(event => [show(state), events[event][language], show(machine.next(state, event))])
  })
  return renderTable(HEADS[language], rows)
}
