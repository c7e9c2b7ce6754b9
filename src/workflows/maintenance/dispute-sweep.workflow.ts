import { maintenanceActivities } from '../shared/activity-proxies.ts'

/** Polls the providers that send no notifications of disputes for new ones. */
export function disputeSweepWorkflow(): Promise<{ polled: number; signalled: number }> {
  return maintenanceActivities.sweepDisputes()
}
