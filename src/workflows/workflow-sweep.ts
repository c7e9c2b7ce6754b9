import type { Swept } from '../activities/workflow-sweep.ts'
import { reconciliation } from './activities.ts'

/** Reopens the workflows of rows that move without one; a schedule runs it every hour. */
export async function workflowSweepWorkflow(): Promise<Swept> {
  return reconciliation.sweepWorkflows()
}
