import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { Resource } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry'

/** A collector that is away holds up a stop for no longer. */
const EXPORT_MS = 5_000

/**
 * Traces from a request to the provider's call, through workflow and activity, sent by OTLP over HTTP to a collector.
 * The plugins go to Temporal's client and worker; without a collector there are none, and a history holds no headers.
 */
export function startTracing(collectorUrl: string | undefined, process: 'api' | 'worker') {
  if (collectorUrl === undefined) return { plugins: [], stop: async () => {} }
  const resource = new Resource({ 'service.name': `trilho-${process}` })
  const exporter = new OTLPTraceExporter({ url: `${collectorUrl}/v1/traces`, timeoutMillis: EXPORT_MS })
  const spanProcessor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_MS })
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] })
  provider.register()
  return {
    plugins: [new OpenTelemetryPlugin({ resource, spanProcessor })],
    /** Sends what is not sent yet; a collector that is away then has missed it, and ends nobody's stop. */
    stop: () => provider.shutdown().catch(() => {}),
  }
}
