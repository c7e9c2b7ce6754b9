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
  /** Gauge of how many there are, of a gauge that has an age or an amount. */
  countGauge?: string
  /** Operator page that shows or settles it. */
  page: string
  /** Id of the section of that page, where it is not the first one. */
  section?: string
  /** Page of `docs/runbooks`. */
  runbook: string
}

/** Gauges of the database that call for an operator, the most urgent first. */
export const SIGNAL_RULES: Record<string, SignalRule> = {
  trilho_ledger_drift_cents: centsRule('differences', 'ledger-unbalanced'),
  trilho_database_read_only: countRule('stuck', 'database-read-only'),
  trilho_breakers_open: countRule('providers', 'provider-down'),
  trilho_worker_without_providers: countRule('providers', 'worker-reaches-no-provider'),
  trilho_unknown_oldest_seconds: ageRule(600, 'unknown', 'unknown-outcome', {
    centsGauge: 'trilho_unknown_cents',
    countGauge: 'trilho_unknown_outcomes',
  }),
  trilho_unexpected_settlements: countRule('unexpected', 'unexpected-settlement'),
  trilho_provider_contradictions: countRule('unknown', 'provider-contradiction'),
  trilho_shortfall_cents: centsRule('entries', 'shortfall'),
  trilho_reconciliation_differences: countRule('differences', 'statement-differs'),
  trilho_reconciliation_age_seconds: ageRule(10_800, 'differences', 'reconciliation-late', {
    section: 'balances',
  }),
  trilho_provider_balance_differs_seconds: ageRule(7_200, 'differences', 'provider-balance-differs', {
    section: 'balances',
  }),
  trilho_attempt_oldest_seconds: ageRule(3_600, 'unknown', 'attempt-pending-too-long'),
  trilho_charges_past_expiry: countRule('stuck', 'charge-past-expiry'),
  trilho_rows_without_workflow: countRule('stuck', 'rows-without-workflow'),
  trilho_workflow_sweep_age_seconds: ageRule(10_800, 'stuck', 'workflow-sweep-late'),
  trilho_provider_notifications_oldest_seconds: ageRule(
    900,
    'stuck',
    'provider-notifications-not-processed',
    { section: 'notifications', countGauge: 'trilho_provider_notifications_waiting' },
  ),
  trilho_deliveries_overdue_seconds: ageRule(120, 'webhooks', 'webhook-deliveries-late'),
  trilho_idle_transaction_oldest_seconds: ageRule(15, 'stuck', 'row-locks-held'),
  trilho_lock_wait_oldest_seconds: ageRule(10, 'stuck', 'row-locks-held'),
  trilho_quarantined_items: countRule('answers', 'items-quarantined'),
  trilho_unexplained_answers: countRule('answers', 'unexplained-answer'),
  trilho_pauses: countRule('providers', 'pause-in-effect'),
  trilho_disputes_urgent: countRule('disputes', 'dispute-expires-soon', {
    centsGauge: 'trilho_disputes_urgent_cents',
  }),
}

type SignalDetails = Pick<SignalRule, 'centsGauge' | 'countGauge' | 'section'>

function countRule(page: string, runbook: string, details: SignalDetails = {}): SignalRule {
  return { above: 0, unit: 'count', page, runbook, ...details }
}

function centsRule(page: string, runbook: string): SignalRule {
  return { above: 0, unit: 'cents', page, runbook }
}

/** Rule of an age in seconds. */
function ageRule(above: number, page: string, runbook: string, details: SignalDetails = {}): SignalRule {
  return { above, unit: 'seconds', page, runbook, ...details }
}

type Signal = Pick<SignalRule, 'unit' | 'page' | 'section' | 'runbook'> & {
  gauge: string
  value: number
  /** The value at stake; null for a signal without one. */
  cents: number | null
  /** How many there are; null where no gauge counts them. */
  count: number | null
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
  return Object.entries(SIGNAL_RULES).flatMap(([gauge, { above, centsGauge, countGauge, ...rule }]) => {
    const highSamples = samples.filter(one => one.gauge === gauge && Math.abs(one.value) > above)
    if (highSamples.length === 0) return []
    const values = highSamples.map(one => Math.abs(one.value))
    const value = rule.unit === 'seconds' ? Math.max(...values) : values.reduce((sum, one) => sum + one)
    const labels = [...new Set(highSamples.flatMap(sample => sample.labels?.[0] ?? []))]
    const sumOf = (name: string) =>
      samples.filter(one => one.gauge === name).reduce((sum, one) => sum + one.value, 0)
    const cents = centsGauge ? sumOf(centsGauge) : null
    const count = countGauge ? sumOf(countGauge) : rule.unit === 'count' ? value : null
    return [{ ...rule, gauge, value, cents, count, labels }]
  })
}
