import { notificationSweepActivities } from '../shared/activity-proxies.ts'

/** Routes the provider notifications that reached no workflow yet; a schedule starts it every minute. */
export async function notificationSweepWorkflow(): Promise<{ waiting: number; routedCount: number }> {
  return notificationSweepActivities.sweepProviderNotifications()
}
