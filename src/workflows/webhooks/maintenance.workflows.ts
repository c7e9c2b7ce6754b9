import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow'
import type { ReplayEventsInput } from '../contracts/webhooks.ts'
import { eventMaintenanceActivities } from '../shared/activity-proxies.ts'

/** Scheduled workflows that maintain events and deliveries. */

/** Signals deliveries whose rows were changed or are overdue, and disables endpoints that have not answered for too long. */
export async function deliverySweepWorkflow(): Promise<{ woken: number; disabled: number }> {
  return eventMaintenanceActivities.sweepDeliveries()
}

/** Sends again, a few hundred at a time, what an endpoint has missed since a moment; answers how much that was. */
export async function eventReplayWorkflow(order: ReplayEventsInput): Promise<{ recovered: number }> {
  let { recovered = 0, after } = order
  for (;;) {
    const batch = await eventMaintenanceActivities.replayMissedEvents({ ...order, ...(after && { after }) })
    recovered += batch.recovered
    setCurrentDetails(`${recovered} events are delivered again`)
    if (!batch.next) return { recovered }
    after = batch.next
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof eventReplayWorkflow>({ ...order, after, recovered })
  }
}

/** Forgets the events that were kept for as long as promised, with their deliveries and tries. */
export async function eventPruningWorkflow(): Promise<{ forgotten: number }> {
  return eventMaintenanceActivities.pruneEvents()
}
