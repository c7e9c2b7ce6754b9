import { continueAsNew, log, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileResult, ReconciliationInput, SweepWorkflowsResult } from '../contracts/maintenance.ts'
import type { ReplayEventsInput } from '../contracts/webhooks.ts'
import {
  archiveActivities,
  dbActivities,
  eventMaintenanceActivities,
  notificationSweepActivities,
  reconciliationActivities,
} from '../shared/activity-proxies.ts'
import { isWorkerLoss } from '../shared/worker-loss.ts'
import { shouldContinueAsNew } from '../shared/workflow-info.ts'

/** Workflows that schedules start, and the replay of events, which a merchant requests. */

/** Lists the disputes of the providers that send no notifications of disputes. */
export function disputeSweepWorkflow(): Promise<{ polled: number; signalled: number }> {
  return reconciliationActivities.sweepDisputes()
}

/** Routes the provider notifications that reached no workflow yet. */
export function notificationSweepWorkflow(): Promise<{ waiting: number; routedCount: number }> {
  return notificationSweepActivities.sweepProviderNotifications()
}

/** Replaces the workflows whose tasks fail, and reopens those of unfinished rows that have none. */
export function workflowSweepWorkflow(): Promise<SweepWorkflowsResult> {
  return reconciliationActivities.sweepWorkflows()
}

/** Orders the reports of the schedules that are due. */
export function reportScheduleWorkflow(): Promise<{ ordered: number }> {
  return reconciliationActivities.orderScheduledReports()
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

/** Deletes the rows whose retention is over (src/db/retention.ts), and then archives the months of the ledger that are over. */
export async function eventPruningWorkflow(): Promise<{ deleted: number; archived: number }> {
  const { deleted } = await eventMaintenanceActivities.pruneEvents()
  const { archived } = await archiveActivities.archiveClosedMonths()
  return { deleted, archived }
}

/**
 * Compares every provider's statement with our movements, repairs what lost notifications left open, and reports other
 * differences. Fails where no provider account could be compared.
 */
export async function reconciliationWorkflow({ hours }: ReconciliationInput): Promise<ReconcileResult[]> {
  const to = Date.now()
  const period = { from: new Date(to - hours * 3_600_000).toISOString(), to: new Date(to).toISOString() }
  const results: ReconcileResult[] = []
  const failures: unknown[] = []
  for (const providerAccountUuid of await reconciliationActivities.listProviderAccounts()) {
    try {
      results.push(await reconciliationActivities.reconcile({ providerAccountUuid, ...period }))
    } catch (error) {
      // The other provider accounts are compared all the same.
      if (!isWorkerLoss(error)) throw error
      log.warn('the provider account could not be compared', { providerAccountUuid })
      failures.push(error)
      results.push({ providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: 'broken_off' })
    }
  }
  if (failures.length > 0 && failures.length === results.length) throw failures[0]
  setCurrentDetails(summarizeResults(results))
  return results
}

function summarizeResults(results: ReconcileResult[]): string {
  const differenceCount = results.reduce((sum, result) => sum + result.differences, 0)
  const repairedCount = results.reduce((sum, result) => sum + result.repaired, 0)
  const uncomparedCount = results.filter(({ noAnswer }) => noAnswer !== undefined).length
  const unlistedCount = results.filter(({ disputesNoAnswer }) => disputesNoAnswer !== undefined).length
  const incomplete = `${uncomparedCount} not compared, the disputes of ${unlistedCount} not listed`
  return `${results.length} provider accounts: ${repairedCount} repaired, ${differenceCount} differences left, ${incomplete}`
}
