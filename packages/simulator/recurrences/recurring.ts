import type { SimulatedAccounts } from '../accounts.ts'
import type { IdGenerator } from '../ids.ts'
import type { WaitScaler } from '../latency.ts'
import type { RailEventHandler } from '../rail-events.ts'
import type { Receipts } from '../receipts.ts'
import type { TaskSchedule } from '../schedule.ts'
import type { SimulatorStore } from '../store.ts'
import { type AutomaticCharges, simulateAutomaticCharges } from './automatic-charges.ts'
import { createRecurrenceClock, type RecurrenceClock } from './clock.ts'
import { type ConsentRequests, simulateConsentRequests } from './consent-requests.ts'
import { type RecurrenceLocations, simulateRecurrenceLocations } from './locations.ts'
import { findMagicRejection } from './magic-debtors.ts'
import { type RecurrencePayers, scheduleTry, simulateRecurrencePayers } from './recurrence-payers.ts'
import { type SimulatedRecurrences, simulateRecurrences } from './recurrences.ts'

/** What Pix Automático consists of. */
export type SimulatedRecurring = {
  clock: RecurrenceClock
  recurrences: SimulatedRecurrences
  requests: ConsentRequests
  locations: RecurrenceLocations
  charges: AutomaticCharges
  payers: RecurrencePayers
}

type RecurringDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  receipts: Receipts
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  scaleWaitMs: WaitScaler
  onRailEvent: RailEventHandler
  /** Returns host and port in the URLs of payloads. */
  payloadHost: () => string
}

export function simulateRecurring(dependencies: RecurringDependencies): SimulatedRecurring {
  const { store, now } = dependencies
  const clock = createRecurrenceClock(store, now)
  const timed = { ...dependencies, clock }
  const recurrences = simulateRecurrences(timed)
  const locations = simulateRecurrenceLocations(timed)
  const requests = simulateConsentRequests({
    ...timed,
    // The bank of a magic debtor answers by itself.
    onReceived: ({ recurrenceId }) => {
      const { debtorDocument } = recurrences.find(recurrenceId)!
      if (findMagicRejection(debtorDocument)) payers.answer(recurrenceId, { accept: false })
    },
  })
  const charges = simulateAutomaticCharges({
    ...timed,
    onTryAdded: chargeTry => scheduleTry(timed, chargeTry),
  })
  const payers: RecurrencePayers = simulateRecurrencePayers({ ...timed, recurrences, requests, charges })
  return { clock, recurrences, requests, locations, charges, payers }
}
