import { dbActivities } from '../shared/activity-proxies.ts'

/** Folds what has changed into the tallies that lists are counted by; a schedule runs it. */
export async function listCountersWorkflow(): Promise<number> {
  return dbActivities.foldListCounters()
}
