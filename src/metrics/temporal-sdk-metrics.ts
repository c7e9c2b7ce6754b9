import { createServer } from 'node:net'

/**
 * Finds a free loopback port for Temporal's SDK, which serves its metrics over HTTP only; the worker reads them there
 * and serves them with its own. If the port is in use before the SDK binds it, the start fails with the SDK's error.
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

/**
 * Turns the histograms of an exposition, except those named, into summaries: only count and sum remain. Most of what
 * Temporal's SDK publishes is buckets that no alert reads.
 */
export function dropBuckets(text: string, withBuckets: readonly string[]): string {
  let dropped: string | undefined
  return text
    .split('\n')
    .flatMap(line => {
      const [, name, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? []
      if (name !== undefined) dropped = type === 'histogram' && !withBuckets.includes(name) ? name : undefined
      if (dropped === undefined) return [line]
      if (line === `# TYPE ${dropped} histogram`) return [`# TYPE ${dropped} summary`]
      return line.startsWith(`${dropped}_bucket{`) ? [] : [line]
    })
    .join('\n')
}
