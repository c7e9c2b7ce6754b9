import type { Drill, Row } from './drill.ts'
import { seconds, shareUnavailable, worstOf } from './verdict.ts'

const HEADER = [
  '| fault | worst read | worst 503 | not served | all serve after | alerts that fire | verdict |',
  '| --- | --- | --- | --- | --- | --- | --- |',
]

/** The table of docs/production.md. */
export function tableOf(rows: Row[]): string {
  return [...HEADER, ...rows.map(lineOf)].join('\n')
}

function lineOf({ name, seen, failures }: Row): string {
  const reads = seen.answers.filter(({ method, status }) => method === 'GET' && status === 200)
  const unavailable = seen.answers.filter(({ status }) => status === 503)
  const cells = [
    `\`${name}\``,
    seconds(worstOf(reads)),
    unavailable.length === 0 ? '–' : seconds(worstOf(unavailable)),
    `${(shareUnavailable(seen.answers) * 100).toFixed(0)} %`,
    seen.recoveryMs === null ? 'never' : seconds(seen.recoveryMs),
    seen.rang.length === 0 ? '–' : seen.rang.join(', '),
    failures.length === 0 ? 'holds' : `fails: ${failures.join('; ')}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The end of a drill in one line. */
export function verdictOf({ rows, violations, unrest }: Drill): string {
  const failed = rows.filter(({ failures }) => failures.length > 0).length
  const open = Object.keys(unrest).length === 0 ? '' : `, never at rest: ${JSON.stringify(unrest)}`
  const invariants = violations.length === 0 ? 'the invariants hold' : `${violations.length} VIOLATIONS`
  return `drill of ${rows.length} faults: ${invariants}${open}; ${failed === 0 ? 'every row holds' : `${failed} rows fail`}`
}

export function isHeld({ rows, violations, unrest }: Drill): boolean {
  const isAtRest = Object.keys(unrest).length === 0
  return isAtRest && violations.length === 0 && rows.every(({ failures }) => failures.length === 0)
}
