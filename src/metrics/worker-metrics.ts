import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { isTransportCode, isWithoutAnswer } from '../domain/providers/provider.ts'
import type { ObservedCall } from '../providers/observability/call-observer.ts'
import { createCertificateGauge } from './certificate-expiry.ts'
import { CLOCK_OFFSET_GAUGE } from './clock-offset.ts'
import { createUnexplainedCounter } from './unexplained-answers.ts'

/** One attempt of a webhook delivery; `lagSeconds` is the time since its event, for the attempt that succeeded. */
export type WebhookAttemptSample = {
  outcome: 'delivered' | 'refused' | 'no_answer'
  lagSeconds: number | null
}

/** Temporal's description of the worker deployment: the current build, and the builds that need workers. */
type DeploymentVersions = { currentBuildId: string | undefined; neededBuildIds: string[] }

/** A provider reported a payment as failed after reporting it as settled; the ledger keeps the settlement. */
export type ProviderContradiction = { provider: string; operation: string }

/** Restricts the label to a closed set: other codes are names that providers choose. */
const toCodeLabel = (code: string | null) => (isTransportCode(code) ? code : 'other')

/** Creates the metrics that one worker process counts by itself; `worker` tells processes apart. */
export function createWorkerMetrics(worker: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ worker })
  const calls = new Histogram({
    name: 'trilho_provider_call_seconds',
    help: 'Calls of providers, by operation and outcome (SPEC §6 names them).',
    labelNames: ['provider', 'operation', 'outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'trilho_provider_failures_total',
    help: 'Provider calls without a usable response, by cause; other: a response that proves no outcome.',
    labelNames: ['provider', 'code'],
    registers: [registry],
  })
  const attempts = new Counter({
    name: 'trilho_webhook_tries_total',
    help: 'Attempts of webhook deliveries.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const lag = new Histogram({
    name: 'trilho_webhook_lag_seconds',
    help: 'From an event to the endpoint that took it.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 43_200],
    registers: [registry],
  })
  const clock = new Gauge({ ...CLOCK_OFFSET_GAUGE, registers: [registry] })
  const ready = new Gauge({
    name: 'trilho_worker_ready',
    help: 'Whether this worker polls Temporal, and PostgreSQL answers it.',
    registers: [registry],
  })
  const contradictions = new Counter({
    name: 'trilho_provider_contradictions_total',
    help: 'Payouts that a provider reported as failed after it had reported them as settled.',
    labelNames: ['provider', 'operation'],
    registers: [registry],
  })
  const currentVersion = new Gauge({
    name: 'trilho_current_version',
    help: 'Whether the worker deployment has a current version, on which new workflows start.',
    registers: [registry],
  })
  const workerVersion = new Gauge({
    name: 'trilho_worker_version',
    help: 'The build of this worker.',
    labelNames: ['build_id'],
    registers: [registry],
  })
  const versionNeeded = new Gauge({
    name: 'trilho_version_needed',
    help: 'Builds that are current or ramping, or that have pinned workflows.',
    labelNames: ['build_id'],
    registers: [registry],
  })
  currentVersion.remove() // An unversioned worker has no sample.
  return {
    registry,
    recordDeployment(buildId: string, { currentBuildId, neededBuildIds }: DeploymentVersions) {
      currentVersion.set(Number(currentBuildId !== undefined))
      workerVersion.set({ build_id: buildId }, 1)
      versionNeeded.reset()
      for (const needed of neededBuildIds) versionNeeded.set({ build_id: needed }, 1)
    },
    countUnexplainedAnswer: createUnexplainedCounter(registry),
    recordProviderCall({ seconds, provider, operation, outcome, code }: ObservedCall) {
      calls.observe({ provider, operation, outcome }, seconds)
      if (isWithoutAnswer(outcome)) failures.inc({ provider, code: toCodeLabel(code) })
    },
    recordCertificate: createCertificateGauge(registry),
    /** Records what a worker reads at a scrape; `clockOffsetS` is null if PostgreSQL does not answer. */
    recordWorkerState({ isPolling, clockOffsetS }: { isPolling: boolean; clockOffsetS: number | null }) {
      ready.set(Number(isPolling && clockOffsetS !== null))
      if (clockOffsetS === null) clock.remove()
      else clock.set(clockOffsetS)
    },
    countContradiction: (labels: ProviderContradiction) => contradictions.inc(labels),
    recordWebhookAttempt({ outcome, lagSeconds }: WebhookAttemptSample) {
      attempts.inc({ outcome })
      if (lagSeconds !== null) lag.observe(lagSeconds)
    },
  }
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>
