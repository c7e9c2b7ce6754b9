import { Gauge, Registry } from 'prom-client'
import type { Orm } from '../db/client/orm.ts'
import { type GaugeSample, readDatabaseGauges } from '../db/repositories/database-gauges.ts'
import { CLOCK_OFFSET_GAUGE, computeClockOffsetS } from './process-metrics.ts'

/** Gauges of the database and their help, the same from every process: the figures that alerts use. */
const GAUGES = {
  trilho_database_up: 'Whether PostgreSQL answers this API.',
  trilho_database_read_only:
    'Whether PostgreSQL is read-only: a standby, or a database with read-only transactions.',
  trilho_database_connections: 'Connections to the PostgreSQL server, of all clients.',
  trilho_database_connections_max:
    'Connections that the PostgreSQL server allows to clients other than superusers.',
  [CLOCK_OFFSET_GAUGE.name]: CLOCK_OFFSET_GAUGE.help,
  trilho_idle_transaction_oldest_seconds:
    'Idle time of the session that has been idle in a transaction the longest.',
  trilho_lock_wait_oldest_seconds: 'Run time of the statement that has waited for a lock the longest.',
  trilho_worker_without_providers:
    'Workers that have reached no provider for 30 seconds, or since their start, while another worker has.',
  trilho_unknown_outcomes: 'Transfers, refunds and returns whose outcome is unknown.',
  trilho_unknown_oldest_seconds: 'Age of the oldest unknown outcome.',
  trilho_unknown_cents: 'Value of the payments whose outcome is unknown, in centavos.',
  trilho_attempt_oldest_seconds: 'Age of the oldest attempt that is calling, accepted or unknown.',
  trilho_charges_past_expiry: 'Charges that expired one to eight days ago and have not ended.',
  trilho_rows_without_workflow:
    'Unfinished rows that the last sweep found without a workflow, reopened or not.',
  trilho_workflow_sweep_age_seconds: 'Time since unfinished rows were last compared with running workflows.',
  trilho_breakers_open:
    'Active connections whose open circuit breaker failed or was probed within 15 minutes.',
  trilho_provider_notifications_waiting: 'Provider notifications that are not processed yet.',
  trilho_provider_notifications_oldest_seconds:
    'Age of the oldest provider notification that is not processed yet.',
  trilho_deliveries_pending: 'Webhook deliveries that are being attempted or wait for their next attempt.',
  trilho_deliveries_overdue_seconds:
    'Delay of the most overdue delivery attempt to endpoints that do not fail.',
  trilho_webhooks_disabled: 'Endpoints disabled because they failed.',
  trilho_unmatched_held_cents: 'Unmatched payments that are held, in centavos.',
  trilho_unexpected_settlements: 'PIX of the last 24 hours that settled twice, or after they had failed.',
  trilho_provider_contradictions:
    'Payouts that a provider reported within the last 24 hours as failed after their settlement, or with another value or receiver.',
  trilho_shortfall_cents: 'Payments that exceeded the balance of their account, in centavos.',
  trilho_ledger_drift_cents: 'Sum of all balances, in centavos; any value but 0 is a bug.',
  trilho_reconciliation_differences: 'Open differences between provider statements and the ledger.',
  trilho_statement_waiting:
    'PIX that only a statement knows and that are left to what may still account for them.',
  trilho_reconciliation_age_seconds:
    'Time since the statement or the disputes of an active provider account were last compared, or its connection changed.',
  trilho_provider_balance_difference_cents:
    'Difference between the last balances of providers and the ledger, in centavos.',
  trilho_provider_balance_differs_seconds:
    'How long the balance of a provider account has differed from the ledger.',
  trilho_disputes_urgent: 'Disputes that expire within 24 hours and whose provider has no reply.',
  trilho_disputes_urgent_cents:
    'Value of the disputes that expire within 24 hours and whose provider has no reply, in centavos.',
  trilho_pauses: 'Pauses in effect.',
  trilho_quarantined_items:
    'Items of provider lists that could not be read and are listed again until they can.',
  trilho_unexplained_answers:
    'Answers of providers, seen within the last hour, that their published documents do not explain.',
} as const

type GaugeName = keyof typeof GAUGES

/** Labels of each gauge that has some. */
const GAUGE_LABELS: Partial<Record<GaugeName, string[]>> = {
  trilho_worker_without_providers: ['worker'],
  trilho_unknown_outcomes: ['provider'],
  trilho_unknown_oldest_seconds: ['provider'],
  trilho_unknown_cents: ['provider'],
  trilho_attempt_oldest_seconds: ['operation'],
  trilho_charges_past_expiry: ['provider'],
  trilho_rows_without_workflow: ['noun'],
  trilho_breakers_open: ['provider'],
  trilho_unexpected_settlements: ['provider'],
  trilho_provider_contradictions: ['provider'],
  trilho_shortfall_cents: ['provider'],
  trilho_reconciliation_differences: ['kind'],
  trilho_statement_waiting: ['why'],
  trilho_reconciliation_age_seconds: ['provider', 'part'],
  trilho_provider_balance_difference_cents: ['provider'],
  trilho_provider_balance_differs_seconds: ['provider'],
  trilho_quarantined_items: ['provider'],
  trilho_unexplained_answers: ['provider', 'operation', 'kind', 'name'],
}

/** Reads all gauges with one query and renders them in Prometheus' format. */
export async function renderDatabaseMetrics(orm: Orm, now: () => number = Date.now): Promise<string> {
  const askedAtMs = now()
  const samples = await readDatabaseGauges(orm.em.fork())
  for (const sample of samples)
    if (sample.gauge === CLOCK_OFFSET_GAUGE.name)
      sample.value = computeClockOffsetS(sample.value, { askedAtMs, answeredAtMs: now() })
  return renderGauges(samples, Object.keys(GAUGES) as GaugeName[])
}

/** Renders the only metric known while PostgreSQL is unreachable, so that monitoring learns of it. */
export function renderDatabaseDown(): Promise<string> {
  const gauge = 'trilho_database_up'
  return renderGauges([{ gauge, labels: null, value: 0 }], [gauge])
}

function renderGauges(samples: GaugeSample[], gauges: GaugeName[]): Promise<string> {
  const registry = new Registry()
  for (const name of gauges) {
    const labelNames = GAUGE_LABELS[name] ?? []
    const gauge = new Gauge<string>({ name, help: GAUGES[name], labelNames, registers: [registry] })
    for (const sample of samples.filter(one => one.gauge === name))
      gauge.set(
        Object.fromEntries(labelNames.map((label, place) => [label, sample.labels?.[place] ?? ''])),
        sample.value,
      )
  }
  return registry.metrics()
}
