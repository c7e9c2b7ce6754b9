import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The dashboards for Grafana: `npm run docs:tables` writes deploy/grafana/*.json from this table. */

/** Title, unit as Grafana names it, and the query, whose labels are the legend. */
type Panel = [title: string, unit: string, query: string]

const rate = (counter: string, labels: string) => `sum by (${labels}) (rate(${counter}[5m]))`
const quantile = (share: number, histogram: string, labels = 'le') =>
  `histogram_quantile(${share}, sum by (${labels}) (rate(${histogram}_bucket[5m])))`

const DASHBOARDS: Record<string, Panel[]> = {
  money: [
    ['Sum of all balances, which is 0', 'currencyBRL', 'max(trilho_ledger_drift_cents) / 100'],
    ['Unknown outcomes', 'short', 'max by (provider) (trilho_unknown_outcomes)'],
    ['Value of unknown outcomes', 'currencyBRL', 'max by (provider) (trilho_unknown_cents) / 100'],
    ['Age of the oldest unknown outcome', 's', 'max by (provider) (trilho_unknown_oldest_seconds)'],
    ['Age of the oldest attempt in progress', 's', 'max by (operation) (trilho_attempt_oldest_seconds)'],
    ['Charges past their expiry', 'short', 'max by (provider) (trilho_charges_past_expiry)'],
    ['Rows without a workflow', 'short', 'max by (noun) (trilho_rows_without_workflow)'],
    ['Time since the last sweep of workflows', 's', 'max(trilho_workflow_sweep_age_seconds)'],
    ['Unexpected settlements of 24 h', 'short', 'max by (provider) (trilho_unexpected_settlements)'],
    ['Contradictions of providers of 24 h', 'short', 'max by (provider) (trilho_provider_contradictions)'],
    ['Shortfalls', 'currencyBRL', 'max by (provider) (trilho_shortfall_cents) / 100'],
    ['Unmatched payments held', 'currencyBRL', 'max(trilho_unmatched_held_cents) / 100'],
    ['Differences from statements', 'short', 'max by (kind) (trilho_reconciliation_differences)'],
    ['PIX that only a statement lists', 'short', 'max by (why) (trilho_statement_waiting)'],
    ['Time since the last comparison', 's', 'max by (provider, part) (trilho_reconciliation_age_seconds)'],
    [
      'Balance at the provider less the ledger',
      'currencyBRL',
      'max by (provider) (trilho_provider_balance_difference_cents) / 100',
    ],
    ['How long it has differed', 's', 'max by (provider) (trilho_provider_balance_differs_seconds)'],
    ['Disputes that expire within 24 h', 'short', 'max(trilho_disputes_urgent)'],
    ['Value of those disputes', 'currencyBRL', 'max(trilho_disputes_urgent_cents) / 100'],
    ['Pauses in effect', 'short', 'max(trilho_pauses)'],
  ],
  providers: [
    ['Calls', 'reqps', rate('trilho_provider_call_seconds_count', 'provider, outcome')],
    ['Duration of calls, p95', 's', quantile(0.95, 'trilho_provider_call_seconds', 'le, provider')],
    ['Duration by operation, p95', 's', quantile(0.95, 'trilho_provider_call_seconds', 'le, operation')],
    ['Calls without an answer', 'reqps', rate('trilho_provider_failures_total', 'provider, code')],
    ['Calls that the pace held back', 'reqps', rate('trilho_provider_paced_total', 'provider, operation')],
    ['Connections with an open breaker', 'short', 'max by (provider) (trilho_breakers_open)'],
    ['Workers that reach no provider', 'short', 'max by (worker) (trilho_worker_without_providers)'],
    ['Unexplained answers of an hour', 'short', 'max by (provider, kind, name) (trilho_unexplained_answers)'],
    ['Items that cannot be read', 'short', 'max by (provider) (trilho_quarantined_items)'],
    ['Notifications that wait', 'short', 'max(trilho_provider_notifications_waiting)'],
    ['Age of the oldest notification', 's', 'max(trilho_provider_notifications_oldest_seconds)'],
    ['Expiry of certificates', 's', 'min by (kind, name) (trilho_certificate_not_after_seconds) - time()'],
  ],
  webhooks: [
    ['Attempts', 'reqps', rate('trilho_webhook_attempts_total', 'outcome')],
    ['Time from event to delivery, p50', 's', quantile(0.5, 'trilho_webhook_lag_seconds')],
    ['Time from event to delivery, p99', 's', quantile(0.99, 'trilho_webhook_lag_seconds')],
    ['Deliveries in progress', 'short', 'max(trilho_deliveries_pending)'],
    ['Delay of the most overdue delivery', 's', 'max(trilho_deliveries_overdue_seconds)'],
    ['Disabled endpoints', 'short', 'max(trilho_webhooks_disabled)'],
    ['Call-outs', 'reqps', rate('trilho_callouts_total', 'outcome')],
  ],
  workers: [
    ['Workers that are ready', 'short', 'sum(trilho_worker_ready)'],
    ['Workers of each build', 'short', 'sum by (build_id) (trilho_worker_version)'],
    ['Builds that need workers', 'short', 'max by (build_id) (trilho_version_needed)'],
    ['Whether a build is current', 'bool_yes_no', 'max(trilho_current_version)'],
    ['Age of the oldest task that waits', 's', 'max(trilho_task_oldest_seconds)'],
    ['Wait of workflow tasks, p95', 'ms', quantile(0.95, 'temporal_workflow_task_schedule_to_start_latency')],
    ['Wait of activity tasks, p95', 'ms', quantile(0.95, 'temporal_activity_schedule_to_start_latency')],
    ['Failed workflow tasks', 'ops', rate('temporal_workflow_task_execution_failed', 'failure_reason')],
    ['New operations in progress', 'short', 'sum(trilho_operations_running)'],
    ['New operations admitted at once', 'short', 'sum(trilho_operations_limit)'],
    ['Requests', 'reqps', rate('trilho_http_request_seconds_count', 'status')],
    ['Duration of requests, p99', 's', quantile(0.99, 'trilho_http_request_seconds', 'le, route')],
    ['Requests answered 5xx', 'reqps', rate('trilho_http_failures_total', 'code, cause')],
    ['Requests beyond the rate limit', 'reqps', 'sum(rate(trilho_rate_limited_total[5m]))'],
  ],
  database: [
    ['Whether PostgreSQL answers', 'bool_yes_no', 'min(trilho_database_up)'],
    ['Whether PostgreSQL is read-only', 'bool_yes_no', 'max(trilho_database_read_only)'],
    ['Connections', 'short', 'max(trilho_database_connections)'],
    ['Connections that are allowed', 'short', 'max(trilho_database_connections_max)'],
    ['Longest idle transaction', 's', 'max(trilho_idle_transaction_oldest_seconds)'],
    ['Longest wait for a lock', 's', 'max(trilho_lock_wait_oldest_seconds)'],
    ['Clock ahead of PostgreSQL', 's', 'max by (instance, worker) (trilho_clock_offset_seconds)'],
    ['Whether Temporal answers', 'bool_yes_no', 'min(trilho_temporal_up)'],
    ['Free disk of the attachments', 'bytes', 'min(trilho_storage_free_bytes)'],
    ['Size of that disk', 'bytes', 'min(trilho_storage_size_bytes)'],
  ],
}

type Rules = { groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[] }
const { groups }: Rules = parse(readFileSync(join(import.meta.dirname, '../alerts.yml'), 'utf8'))

/** Builds the dashboards: the name of each file, and its text with a line for each panel. */
export function buildDashboards(): [file: string, text: string][] {
  return Object.entries(DASHBOARDS).map(([name, panels]) => {
    const dashboard = {
      uid: `trilho-${name}`,
      title: `Trilho: ${name}`,
      tags: ['trilho'],
      schemaVersion: 39,
      time: { from: 'now-6h', to: 'now' },
      refresh: '1m',
      templating: {
        list: [
          { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
          { name: 'trilho', label: 'Address of the API', type: 'textbox', query: 'http://localhost:3000' },
        ],
      },
      panels: panels.map(buildPanel),
    }
    return [`${name}.json`, `${JSON.stringify(dashboard).replaceAll('{"title"', '\n{"title"')}\n`]
  })
}

/** Builds a panel, three in a row; it links the runbooks of the alerts that read one of its metrics. */
function buildPanel([title, unit, expr]: Panel, at: number) {
  const metrics = listMetrics(expr)
  const alerts = groups
    .flatMap(({ rules }) => rules)
    .filter(rule => listMetrics(rule.expr).some(name => metrics.includes(name)))
  return {
    title,
    id: at + 1,
    type: 'timeseries',
    gridPos: { x: (at % 3) * 8, y: Math.floor(at / 3) * 7, w: 8, h: 7 },
    datasource: { type: 'prometheus', uid: '$datasource' },
    fieldConfig: { defaults: { unit }, overrides: [] },
    links: alerts.map(({ alert, annotations }) => ({
      url: annotations.runbook.replace(/^docs\/runbooks\/(.*)\.md$/, '$trilho/docs/$1'),
      title: alert,
      targetBlank: true,
    })),
    targets: [{ refId: 'A', expr, legendFormat: '__auto' }],
  }
}

/** Lists the metrics of a query by the names under which they are exported. */
function listMetrics(query: string): string[] {
  return (query.match(/\b(trilho|temporal)_[a-z_]+/g) ?? []).map(name =>
    name.replace(/_(bucket|count|sum)$/, ''),
  )
}
