import { notificationSweepActivities } from '../shared/activity-proxies.ts'

/** Hands over the notices that no life has taken yet; a schedule runs it every minute. */
export async function notificationSweepWorkflow(): Promise<{ waiting: number; routedCount: number }> {
  return notificationSweepActivities.sweepProviderNotifications()
}
