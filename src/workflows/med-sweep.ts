import { reconciliation } from './activities.ts'

/** Asks the providers that tell of no dispute whether one has opened. */
export function medSweepWorkflow(): Promise<{ asked: number; told: number }> {
  return reconciliation.sweepMeds()
}
