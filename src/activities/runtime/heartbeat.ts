import { activityInfo, heartbeat } from '@temporalio/activity'

// biome-ignore lint/suspicious/noExplicitAny: the input of an activity is passed on unchanged.
type HeartbeatActivities = Record<string, (...input: any[]) => Promise<unknown>>

/**
 * Wraps activities so that they send heartbeats while they run. Temporal then detects a worker that dies during a call
 * within the heartbeat timeout (src/workflows/shared/activity-proxies.ts), not only at the activity's own timeout.
 */
export function withHeartbeat<T extends HeartbeatActivities>(activities: T): T {
  const entries = Object.entries(activities).map(([name, activity]) => [name, addHeartbeat(activity)])
  return Object.fromEntries(entries) as T
}

function addHeartbeat(activity: HeartbeatActivities[string]): HeartbeatActivities[string] {
  return async (...input) => {
    const { heartbeatTimeoutMs } = activityInfo()
    if (!heartbeatTimeoutMs) return activity(...input)
    const timer = setInterval(heartbeat, heartbeatTimeoutMs / 4)
    try {
      return await activity(...input)
    } finally {
      clearInterval(timer)
    }
  }
}
