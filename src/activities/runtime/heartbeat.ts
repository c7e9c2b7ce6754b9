import { activityInfo, heartbeat } from '@temporalio/activity'

// biome-ignore lint/suspicious/noExplicitAny: whatever an activity takes is handed on.
type HeartbeatActivities = Record<string, (...input: any[]) => Promise<unknown>>

/**
 * Activities that say they are alive for as long as they run. A worker that dies in the middle of a call is then missed
 * within the heartbeat's limit (src/workflows/shared/activity-proxies.ts), not only when the call itself would be given up.
 */
export function withHeartbeat<T extends HeartbeatActivities>(activities: T): T {
  const entries = Object.entries(activities).map(([name, activity]) => [name, addHeartbeat(activity)])
  return Object.fromEntries(entries) as T
}

function addHeartbeat(activity: HeartbeatActivities[string]): HeartbeatActivities[string] {
  return async (...input) => {
    const { heartbeatTimeoutMs } = activityInfo()
    if (!heartbeatTimeoutMs) return activity(...input)
    const beats = setInterval(heartbeat, heartbeatTimeoutMs / 4)
    try {
      return await activity(...input)
    } finally {
      clearInterval(beats)
    }
  }
}
