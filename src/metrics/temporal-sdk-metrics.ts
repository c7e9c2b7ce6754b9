import { createServer } from 'node:net'
import { dropBuckets } from './exposition.ts'

/**
 * Finds a free loopback port for Temporal's SDK, which serves its metrics over HTTP only; the worker reads them there
 * and publishes them. If the port is in use before the SDK binds it, the start fails with the SDK's error.
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

/** Histograms that show whether there are enough workers. */
const HISTOGRAMS_WITH_BUCKETS = [
  'temporal_activity_schedule_to_start_latency',
  'temporal_workflow_task_schedule_to_start_latency',
]

/** Reads the SDK's metrics; empty if it does not answer. */
export async function readTemporalSdkMetrics(address: string): Promise<string> {
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) })
    return response.ok ? dropBuckets(await response.text(), HISTOGRAMS_WITH_BUCKETS) : ''
  } catch {
    return ''
  }
}
