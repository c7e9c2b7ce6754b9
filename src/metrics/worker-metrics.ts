import { Gauge, Registry } from 'prom-client'
import { isWithoutAnswer } from '../domain/providers/answer-judgement.ts'
import { PACED } from '../domain/providers/provider.ts'
import { isTransportCode } from '../domain/providers/transport-code.ts'
import type { ObservedCall } from '../providers/call-observer.ts'
import type { ObservedCertificate } from '../providers/http/certificates.ts'
import { CLOCK_OFFSET_GAUGE, createMetricBuilders } from './process-metrics.ts'

/** One attempt of a webhook delivery; `lagSeconds` is the time since its event, for the attempt that succeeded. */
export type WebhookAttemptSample = {
  outcome: 'delivered' | 'refused' | 'no_answer'
  lagSeconds: number | null
}

/** What one request of a call-out was answered. */
export type CalloutOutcome = 'approved' | 'refused' | 'no_answer'

/** Temporal's description of the worker deployment: the current build, and the builds that need workers. */
type DeploymentVersions = { currentBuildId: string | undefined; neededBuildIds: string[] }

/** Restricts the label to a closed set: other codes are names that providers choose. */
const toCodeLabel = (code: string | null) => (isTransportCode(code) ? code : 'other')

/** Creates the metrics that one worker process counts by itself; `worker` tells processes apart. */
export function createWorkerMetrics(worker: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ worker })
  const { counter, gauge, histogram } = createMetricBuilders(registry)
  const calls = histogram(
    'trilho_provider_call_seconds',
    'Calls of providers, by operation and outcome (SPEC §6 names them).',
    {
      labelNames: ['provider', 'operation', 'outcome'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    },
  )
  const failures = counter(
    'trilho_provider_failures_total',
    'Provider calls without a usable response, by cause; other: a response that proves no outcome.',
    ['provider', 'code'],
  )
  const pacedCalls = counter(
    'trilho_provider_paced_total',
    'Provider calls that were not made, because the pace of the provider left no room for them.',
    ['provider', 'operation'],
  )
  const attempts = counter('trilho_webhook_attempts_total', 'Attempts of webhook deliveries.', ['outcome'])
  const callouts = counter(
    'trilho_callouts_total',
    'Requests of call-outs, which ask a merchant about an order that waits.',
    ['outcome'],
  )
  const lag = histogram('trilho_webhook_lag_seconds', 'From an event to the endpoint that took it.', {
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 43_200],
  })
  const clock = gauge(CLOCK_OFFSET_GAUGE.name, CLOCK_OFFSET_GAUGE.help)
  const ready = gauge('trilho_worker_ready', 'Whether this worker polls Temporal, and PostgreSQL answers it.')
  const currentVersion = gauge(
    'trilho_current_version',
    'Whether the worker deployment has a current version, on which new workflows start.',
  )
  const workerVersion = gauge('trilho_worker_version', 'The build of this worker.', ['build_id'])
  const versionNeeded = gauge(
    'trilho_version_needed',
    'Builds that are current or ramping, or that have pinned workflows.',
    ['build_id'],
  )
  currentVersion.remove() // An unversioned worker has no sample.
  return {
    registry,
    recordDeployment(buildId: string, { currentBuildId, neededBuildIds }: DeploymentVersions) {
      currentVersion.set(Number(currentBuildId !== undefined))
      workerVersion.set({ build_id: buildId }, 1)
      versionNeeded.reset()
      for (const needed of neededBuildIds) versionNeeded.set({ build_id: needed }, 1)
    },
    recordProviderCall({ seconds, provider, operation, outcome, code }: ObservedCall) {
      if (code === PACED) return pacedCalls.inc({ provider, operation })
      calls.observe({ provider, operation, outcome }, seconds)
      if (isWithoutAnswer({ kind: outcome, code })) failures.inc({ provider, code: toCodeLabel(code) })
    },
    recordCertificate: createCertificateGauge(registry),
    /** Records what a worker reads at a scrape; `clockOffsetS` is null if PostgreSQL does not answer. */
    recordWorkerState({ isPolling, clockOffsetS }: { isPolling: boolean; clockOffsetS: number | null }) {
      ready.set(Number(isPolling && clockOffsetS !== null))
      if (clockOffsetS === null) clock.remove()
      else clock.set(clockOffsetS)
    },
    recordCallout(outcome: CalloutOutcome) {
      callouts.inc({ outcome })
    },
    recordWebhookAttempt({ outcome, lagSeconds }: WebhookAttemptSample) {
      attempts.inc({ outcome })
      if (lagSeconds !== null) lag.observe(lagSeconds)
    },
  }
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

/** Certificates that expire later have no series: thousands of connections may have certificates of their own. */
const EXPIRY_WINDOW_MS = 30 * 86_400_000

/** Creates the gauge of expiry times of client and server certificates that expire soon or have expired. */
function createCertificateGauge(registry: Registry) {
  const certificates = new Map<string, ObservedCertificate>()
  new Gauge({
    name: 'trilho_certificate_not_after_seconds',
    help: 'Expiry of a certificate of a connection (client) or a host (server), in seconds since 1970; shown 30 days ahead.',
    labelNames: ['kind', 'name'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { kind, name, notAfter } of certificates.values())
        if (notAfter.getTime() - Date.now() < EXPIRY_WINDOW_MS)
          this.set({ kind, name }, notAfter.getTime() / 1000)
    },
  })
  return (certificate: ObservedCertificate): void =>
    void certificates.set(`${certificate.kind}/${certificate.name}`, certificate)
}
