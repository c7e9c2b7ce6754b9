import { buildAccountWorkflowsUrl } from '../../../src/temporal/ui-links.ts'
import type { DemoResult } from '../demo/demo.ts'

/** `local.json`: where everything is, anew at every start. */
export type LocalInfo = {
  /** Without `/api/v1`. */
  api_url: string
  dashboard_url: string
  docs_url: string
  /** Health and metrics of the worker. */
  worker_url: string
  temporal_address: string
  temporal_namespace: string
  task_queue: string
  /** Empty if TEMPORAL_ADDRESS names a server and TEMPORAL_UI_URL does not. */
  temporal_ui_url: string
  simulator_url: string
  inbox_url: string
  database_url: string
} & DemoResult

/** What a person wants to know, once everything runs. */
export function formatBanner(local: LocalInfo, { file, seconds }: { file: string; seconds: number }): string {
  const lines: [string, string][] = [
    ['API', `${local.api_url}/api/v1`],
    ['dashboard', `${local.dashboard_url} (${local.dashboard.email}, ${local.dashboard.password})`],
    ['docs', local.docs_url],
    ['Temporal', formatTemporalAddress(local)],
    ['simulator', local.simulator_url],
    ['inbox', local.inbox_url],
    ['account', local.account_uuid],
    ['token', local.token],
    ['all of it', file],
  ]
  return [
    '',
    `Trilho runs (after ${seconds} s).`,
    '',
    ...lines.map(([name, value]) => `  ${name.padEnd(10)} ${value}`),
    '',
    `  curl -H 'Authorization: Bearer ${local.token}' ${local.api_url}/api/v1/providers`,
    '',
    'Ctrl-C stops it; its data is kept for the next start.',
  ].join('\n')
}

function formatTemporalAddress(local: LocalInfo): string {
  const { temporal_ui_url: uiUrl, temporal_namespace: namespace } = local
  return uiUrl ? buildAccountWorkflowsUrl({ uiUrl, namespace }) : local.temporal_address
}
