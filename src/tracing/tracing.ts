import type { OtlpTracing } from './otlp.ts'

/**
 * Traces from a request to the provider's call, through workflow and activity, sent by OTLP over HTTP to a collector.
 * The plugins go to Temporal's client and worker; without a collector there are none, a history holds no headers, and
 * what would trace is not even loaded.
 */
export async function startTracing(
  collectorUrl: string | undefined,
  process: 'api' | 'worker',
): Promise<OtlpTracing> {
  if (collectorUrl === undefined) return { plugins: [], stop: async () => {} }
  const { startOtlpTracing } = await import('./otlp.ts')
  return startOtlpTracing(collectorUrl, process)
}
