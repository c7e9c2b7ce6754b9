import type { DrillResult, DrillRow } from './drill.ts'
import { formatSeconds, slowestMsOf, unavailableShareOf } from './verdict.ts'

const HEADER = [
  '| fault | worst read | worst 503 | not served | all serve after | alerts that fire | verdict |',
  '| --- | --- | --- | --- | --- | --- | --- |',
]

/** The table of docs/production.md. */
export function formatTable(rows: DrillRow[]): string {
  return [...HEADER, ...rows.map(formatRow)].join('\n')
}

function formatRow({ name, observation: seen, failures }: DrillRow): string {
  const reads = seen.answers.filter(({ method, status }) => method === 'GET' && status === 200)
  const unavailable = seen.answers.filter(({ status }) => status === 503)
  const cells = [
    `\`${name}\``,
    formatSeconds(slowestMsOf(reads)),
    unavailable.length === 0 ? '–' : formatSeconds(slowestMsOf(unavailable)),
    `${(unavailableShareOf(seen.answers) * 100).toFixed(0)} %`,
    seen.recoveryMs === null ? 'never' : formatSeconds(seen.recoveryMs),
    seen.firedAlerts.length === 0 ? '–' : seen.firedAlerts.join(', '),
    failures.length === 0 ? 'holds' : `fails: ${failures.join('; ')}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The end of a drill in one line. */
export function formatVerdict({ rows, violations, pendingWork: unrest }: DrillResult): string {
  const failed = rows.filter(({ failures }) => failures.length > 0).length
  const open = Object.keys(unrest).length === 0 ? '' : `, never at rest: ${JSON.stringify(unrest)}`
  const invariants = violations.length === 0 ? 'the invariants hold' : `${violations.length} VIOLATIONS`
  return `drill of ${rows.length} faults: ${invariants}${open}; ${failed === 0 ? 'every row holds' : `${failed} rows fail`}`
}

export function isDrillPassed({ rows, violations, pendingWork: unrest }: DrillResult): boolean {
  const isAtRest = Object.keys(unrest).length === 0
  return isAtRest && violations.length === 0 && rows.every(({ failures }) => failures.length === 0)
}
