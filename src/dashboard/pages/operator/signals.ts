import type { EntityManager } from '../../../db/client/orm.ts'
import { type GaugeSample, readDatabaseGauges } from '../../../db/repositories/database-gauges.ts'
import { readServiceFacts } from '../../../db/repositories/service-facts.ts'

/** What is wrong now, as the operators' first page says it. */

type SignalRule = {
  /** The signal is raised above this value, as its alert is (deploy/alerts.yml). */
  above: number
  unit: 'count' | 'seconds' | 'cents'
  /** Gauge of the value that is at stake, in centavos. */
  centsGauge?: string
  /** Operator page that shows or settles it. */
  page: string
  /** Id of the section of that page, where it is not the first one. */
  section?: string
  /** Page of `docs/runbooks`. */
  runbook: string
}

/** Gauges of the database that call for an operator, the most urgent first. */
export const SIGNAL_RULES: Record<string, SignalRule> = {
  trilho_ledger_drift_cents: { above: 0, unit: 'cents', page: 'differences', runbook: 'ledger-unbalanced' },
  trilho_database_read_only: { above: 0, unit: 'count', page: 'stuck', runbook: 'database-read-only' },
  trilho_breakers_open: { above: 0, unit: 'count', page: 'providers', runbook: 'provider-down' },
  trilho_worker_without_providers: {
    above: 0,
    unit: 'count',
    page: 'providers',
    runbook: 'worker-reaches-no-provider',
  },
  trilho_unknown_oldest_seconds: {
    above: 600,
    unit: 'seconds',
    page: 'unknown',
    runbook: 'unknown-outcome',
    centsGauge: 'trilho_unknown_cents',
  },
  trilho_unexpected_settlements: {
    above: 0,
    unit: 'count',
    page: 'unexpected',
    runbook: 'unexpected-settlement',
  },
  trilho_provider_contradictions: {
    above: 0,
    unit: 'count',
    page: 'unknown',
    runbook: 'provider-contradiction',
  },
  trilho_shortfall_cents: { above: 0, unit: 'cents', page: 'entries', runbook: 'shortfall' },
  trilho_reconciliation_differences: {
    above: 0,
    unit: 'count',
    page: 'differences',
    runbook: 'statement-differs',
  },
  trilho_reconciliation_age_seconds: {
    above: 10_800,
    unit: 'seconds',
    page: 'differences',
    runbook: 'reconciliation-late',
    section: 'balances',
  },
  trilho_provider_balance_differs_seconds: {
    above: 7_200,
    unit: 'seconds',
    page: 'differences',
    runbook: 'provider-balance-differs',
    section: 'balances',
  },
  trilho_attempt_oldest_seconds: {
    above: 3_600,
    unit: 'seconds',
    page: 'unknown',
    runbook: 'attempt-pending-too-long',
  },
  trilho_charges_past_expiry: { above: 0, unit: 'count', page: 'stuck', runbook: 'charge-past-expiry' },
  trilho_rows_without_workflow: { above: 0, unit: 'count', page: 'stuck', runbook: 'rows-without-workflow' },
  trilho_workflow_sweep_age_seconds: {
    above: 10_800,
    unit: 'seconds',
    page: 'stuck',
    runbook: 'workflow-sweep-late',
  },
  trilho_provider_notifications_oldest_seconds: {
    above: 900,
    unit: 'seconds',
    page: 'stuck',
    runbook: 'provider-notifications-not-processed',
    section: 'notifications',
  },
  trilho_deliveries_overdue_seconds: {
    above: 120,
    unit: 'seconds',
    page: 'webhooks',
    runbook: 'webhook-deliveries-late',
  },
  trilho_idle_transaction_oldest_seconds: {
    above: 15,
    unit: 'seconds',
    page: 'stuck',
    runbook: 'row-locks-held',
  },
  trilho_lock_wait_oldest_seconds: { above: 10, unit: 'seconds', page: 'stuck', runbook: 'row-locks-held' },
  trilho_quarantined_items: { above: 0, unit: 'count', page: 'answers', runbook: 'items-quarantined' },
  trilho_unexplained_answers: { above: 0, unit: 'count', page: 'answers', runbook: 'unexplained-answer' },
  trilho_pauses: { above: 0, unit: 'count', page: 'providers', runbook: 'pause-in-effect' },
  trilho_disputes_urgent: {
    above: 0,
    unit: 'count',
    page: 'disputes',
    runbook: 'dispute-expires-soon',
    centsGauge: 'trilho_disputes_urgent_cents',
  },
}

type Signal = Pick<SignalRule, 'unit' | 'page' | 'section' | 'runbook'> & {
  gauge: string
  value: number
  /** The value at stake; null for a signal without one. */
  cents: number | null
  labels: string[]
}

/** Reads what is wrong now, and the facts of the service. Two queries; a fact that is a gauge is read as the gauge. */
export async function readServiceState(em: EntityManager) {
  const [samples, facts] = await Promise.all([readDatabaseGauges(em.fork()), readServiceFacts(em.fork())])
  const valuesOf = (gauge: string) => samples.filter(one => one.gauge === gauge).map(one => one.value)
  const sum = (gauge: string) => valuesOf(gauge).reduce((total, value) => total + value, 0)
  const oldest = (gauge: string) => Math.max(0, ...valuesOf(gauge))
  const comparisonAges = valuesOf('trilho_reconciliation_age_seconds')
  return {
    signals: findSignals(samples),
    facts: {
      ...facts,
      unknownCount: sum('trilho_unknown_outcomes'),
      unknownCents: sum('trilho_unknown_cents'),
      unknownSeconds: oldest('trilho_unknown_oldest_seconds'),
      inboxCount: sum('trilho_provider_notifications_waiting'),
      inboxSeconds: oldest('trilho_provider_notifications_oldest_seconds'),
      openBreakers: sum('trilho_breakers_open'),
      pauses: sum('trilho_pauses'),
      urgentDisputes: sum('trilho_disputes_urgent'),
      urgentDisputeCents: sum('trilho_disputes_urgent_cents'),
      /** Age of the least recent comparison; null without an active connection. */
      comparisonSeconds: comparisonAges.length > 0 ? Math.max(...comparisonAges) : null,
      balanceDifferenceCents: sum('trilho_provider_balance_difference_cents'),
    },
  }
}

/** Finds the gauges above their limits: counts and amounts added up over their labels, of ages the oldest. */
export function findSignals(samples: readonly GaugeSample[]): Signal[] {
  return Object.entries(SIGNAL_RULES).flatMap(([gauge, { above, centsGauge, ...rule }]) => {
    const high = samples.filter(one => one.gauge === gauge && Math.abs(one.value) > above)
    if (high.length === 0) return []
    const values = high.map(one => Math.abs(one.value))
    const value = rule.unit === 'seconds' ? Math.max(...values) : values.reduce((sum, one) => sum + one)
    const labels = [...new Set(high.flatMap(sample => sample.labels?.[0] ?? []))]
    const atStake = samples.filter(one => one.gauge === centsGauge)
    const cents = centsGauge ? atStake.reduce((sum, one) => sum + one.value, 0) : null
    return [{ ...rule, gauge, value, cents, labels }]
  })
}
