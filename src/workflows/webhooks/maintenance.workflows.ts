import { continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import type { ReplayEventsInput } from '../contracts/webhooks.ts'
import { eventMaintenanceActivities } from '../shared/activity-proxies.ts'
import { shouldContinueAsNew } from '../shared/continue-as-new.ts'

/** Workflows that maintain events and deliveries: by schedule, or at the request of a merchant. */

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

/** Deletes the events whose retention is over, with their deliveries and attempts. */
export async function eventPruningWorkflow(): Promise<{ deleted: number }> {
  return eventMaintenanceActivities.pruneEvents()
}
