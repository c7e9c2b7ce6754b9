import { createServer } from 'node:net'
import { dropBuckets } from './exposition.ts'

/**
 * Temporal's SDK serves its metrics over HTTP only: on a loopback port of its own, read by the worker that publishes
 * them. A port that is taken between here and the SDK's bind ends the start with the SDK's error.
 */
export async function findLoopbackAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return `127.0.0.1:${address.port}`
}

/** What shows whether there are enough workers. */
const HISTOGRAMS_WITH_BUCKETS = [
  'temporal_activity_schedule_to_start_latency',
  'temporal_workflow_task_schedule_to_start_latency',
]

/** The SDK's metrics, or nothing where it does not answer. */
export async function readTemporalSdkMetrics(address: string): Promise<string> {
  try {
    const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) })
    return answer.ok ? dropBuckets(await answer.text(), HISTOGRAMS_WITH_BUCKETS) : ''
  } catch {
    return ''
  }
}
