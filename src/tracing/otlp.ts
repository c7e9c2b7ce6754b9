import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { envDetectorSync, Resource } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry'

/**
 * OpenTelemetry 1, because @temporalio/interceptors-opentelemetry depends on it; its package for OpenTelemetry 2 exists only for
 * the release before ours. The libraries read their own variables (OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS, …).
 */

/** A collector that is away holds up a stop for no longer. */
const EXPORT_TIMEOUT_MS = 5_000

export type OtlpTracing = {
  plugins: OpenTelemetryPlugin[]
  /** Sends the remaining spans; an unreachable collector loses them and does not delay the shutdown. */
  stop: () => Promise<void>
}

export function startOtlpTracing(collectorUrl: string, process: 'api' | 'worker'): OtlpTracing {
  const resource = new Resource({ 'service.name': `trilho-${process}` }).merge(envDetectorSync.detect())
  const exporter = new OTLPTraceExporter({
    url: `${collectorUrl}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const spanProcessor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_TIMEOUT_MS })
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] })
  provider.register()
  return {
    plugins: [new OpenTelemetryPlugin({ resource, spanProcessor })],
    stop: () => provider.shutdown().catch(() => {}),
  }
}
