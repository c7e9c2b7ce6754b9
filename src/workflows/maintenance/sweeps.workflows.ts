import type { SweepWorkflowsResult } from '../contracts/maintenance.ts'
import {
  dbActivities,
  notificationSweepActivities,
  reconciliationActivities,
} from '../shared/activity-proxies.ts'

/** Workflows of one activity each, which schedules start. */

/** Lists the disputes of the providers that send no notifications of disputes. */
export function disputeSweepWorkflow(): Promise<{ polled: number; signalled: number }> {
  return reconciliationActivities.sweepDisputes()
}

/** Routes the provider notifications that reached no workflow yet. */
export function notificationSweepWorkflow(): Promise<{ waiting: number; routedCount: number }> {
  return notificationSweepActivities.sweepProviderNotifications()
}

/** Reopens the workflows of unfinished rows that have none. */
export function workflowSweepWorkflow(): Promise<SweepWorkflowsResult> {
  return reconciliationActivities.sweepWorkflows()
}

/** Adds the recent changes to the counters of lists. */
export function listCountersWorkflow(): Promise<number> {
  return dbActivities.foldListCounters()
}
