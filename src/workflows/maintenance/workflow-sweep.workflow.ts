import type { SweepWorkflowsResult } from '../contracts/maintenance.ts'
import { maintenanceActivities } from '../shared/activity-proxies.ts'

/** Reopens the workflows of rows that move without one; a schedule runs it every hour. */
export async function workflowSweepWorkflow(): Promise<SweepWorkflowsResult> {
  return maintenanceActivities.sweepWorkflows()
}
