import type { Client } from '@temporalio/client'

/** TaskQueueType in Temporal's API. */
const TASK_QUEUE_TYPES = { workflow: 1, activity: 2 }

/** Reads the age in ms of the oldest workflow or activity task of a task queue that waits for a worker; 0 if none does. */
export async function readTaskAgeMs(client: Client, name: string): Promise<number> {
  const { namespace } = client.options
  const ages = Object.values(TASK_QUEUE_TYPES).map(async taskQueueType => {
    const request = { namespace, taskQueue: { name }, taskQueueType, reportStats: true }
    const { stats } = await client.workflowService.describeTaskQueue(request)
    const { seconds = 0, nanos = 0 } = stats?.approximateBacklogAge ?? {}
    return Number(seconds) * 1_000 + Number(nanos) / 1e6
  })
  return Math.max(...(await Promise.all(ages)))
}
