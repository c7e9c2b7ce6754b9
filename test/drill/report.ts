import type { DrillResult, DrillRow, Undisturbed } from './drill.ts'
import { formatSeconds, isServedRead, measureSlowness, slowestMsOf, unavailableShareOf } from './verdict.ts'

const HEADER = [
  '| fault | worst read | ÷ undisturbed | worst 503 | not served | all serve after | ÷ undisturbed | alerts that fire | verdict |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
]

type UndisturbedRow = Omit<DrillRow, 'observation'> & { observation: Undisturbed }

/** The table of docs/production.md; its first row is the time without a fault. */
export function formatTable({ undisturbed, rows }: Pick<DrillResult, 'undisturbed' | 'rows'>): string {
  const { reads, serving } = measureSlowness(undisturbed)
  const machine = `${reads.toFixed(1)} and ${serving.toFixed(1)} times as slow as two idle cores`
  return [
    ...HEADER,
    formatRow({ name: 'undisturbed', observation: undisturbed, failures: [] }, undisturbed, machine),
    ...rows.map(row => formatRow(row, undisturbed)),
  ].join('\n')
}

function formatRow(
  { name, observation: seen, failures }: DrillRow | UndisturbedRow,
  undisturbed: Undisturbed,
  verdict = failures.length === 0 ? 'holds' : `fails: ${failures.join('; ')}`,
): string {
  const worstRead = slowestMsOf(seen.answers.filter(isServedRead))
  const unavailable = seen.answers.filter(({ status }) => status === 503)
  const cells = [
    `\`${name}\``,
    formatSeconds(worstRead),
    formatRatio(worstRead, slowestMsOf(undisturbed.answers.filter(isServedRead))),
    unavailable.length === 0 ? '–' : formatSeconds(slowestMsOf(unavailable)),
    `${(unavailableShareOf(seen.answers) * 100).toFixed(0)} %`,
    seen.recoveryMs === null ? 'never' : formatSeconds(seen.recoveryMs),
    formatRatio(seen.recoveryMs, undisturbed.recoveryMs),
    seen.firedAlerts.length === 0 ? '–' : seen.firedAlerts.join(', '),
    verdict,
  ]
  return `| ${cells.join(' | ')} |`
}

function formatRatio(ms: number | null, undisturbedMs: number | null): string {
  return ms && undisturbedMs ? (ms / undisturbedMs).toFixed(1) : '–'
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
