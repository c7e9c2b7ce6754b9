import { maintenanceActivities } from '../shared/activity-proxies.ts'

/** Asks the providers that tell of no dispute whether one has opened. */
export function disputeSweepWorkflow(): Promise<{ asked: number; told: number }> {
  return maintenanceActivities.sweepDisputes()
}
