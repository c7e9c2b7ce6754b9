import { dbActivities } from '../shared/activity-proxies.ts'

/** Adds the recent changes to the counters of lists; a schedule runs it. */
export async function listCountersWorkflow(): Promise<number> {
  return dbActivities.foldListCounters()
}
