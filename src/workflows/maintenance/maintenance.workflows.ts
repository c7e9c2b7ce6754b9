import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { SweepWorkflowsResult } from '../contracts/maintenance.ts'
import type { ReplayEventsInput } from '../contracts/webhooks.ts'
import {
  dbActivities,
  eventMaintenanceActivities,
  notificationSweepActivities,
  reconciliationActivities,
} from '../shared/activity-proxies.ts'
import { shouldContinueAsNew } from '../shared/continue-as-new.ts'

/** Workflows that schedules start, and the replay of events, which a merchant requests. */

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

/** Signals the workflows of deliveries that were changed or are overdue, and disables endpoints without a success for five days. */
export async function deliverySweepWorkflow(): Promise<{ signalled: number; disabled: number }> {
  return eventMaintenanceActivities.sweepDeliveries()
}

/** Sends the events again that an endpoint has missed since a time, in batches; returns how many. */
export async function eventReplayWorkflow(input: ReplayEventsInput): Promise<{ recovered: number }> {
  let { recovered = 0, after } = input
  for (;;) {
    const batch = await eventMaintenanceActivities.replayMissedEvents({ ...input, ...(after && { after }) })
    recovered += batch.recovered
    setCurrentDetails(`${recovered} events are delivered again`)
    if (!batch.next) return { recovered }
    after = batch.next
    if (shouldContinueAsNew()) await continueAsNew<typeof eventReplayWorkflow>({ ...input, after, recovered })
  }
}

/** Deletes the events whose retention is over, with their deliveries and attempts, and other rows that are kept as long. */
export async function eventPruningWorkflow(): Promise<{ deleted: number }> {
  return eventMaintenanceActivities.pruneEvents()
}
