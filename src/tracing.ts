import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { Resource } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry'

/**
 * Traces from a request to the provider's call, through workflow and activity, sent by OTLP over HTTP to a collector.
 * The plugins go to Temporal's client and worker; without a collector there are none, and a history holds no headers.
 */
export function startTracing(collectorUrl: string | undefined, process: 'api' | 'worker') {
  if (collectorUrl === undefined) return { plugins: [], stop: async () => {} }
  const resource = new Resource({ 'service.name': `trilho-${process}` })
  const spanProcessor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${collectorUrl}/v1/traces` }))
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] })
  provider.register()
  return {
    plugins: [new OpenTelemetryPlugin({ resource, spanProcessor })],
    /** Sends what is not sent yet. */
    stop: () => provider.shutdown(),
  }
}
