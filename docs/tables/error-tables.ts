import { ERROR_CATALOGUE, type ErrorCode } from '../../src/domain/errors/error-catalogue.ts'
import { RAIL_CODES, type RailCode } from '../../src/domain/pix/rail-codes.ts'
import { ERROR_GUIDANCE } from './error-guidance.ts'

/** Error tables of docs/errors.md, generated from the catalogues that the service itself uses. */

function renderErrorTables(): string {
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[]
  const byStatus = [...Map.groupBy(codes, code => ERROR_CATALOGUE[code].status)].sort(
    ([one], [other]) => one - other,
  )
  return byStatus
    .map(([status, listed]) => {
      const rows = listed.map(code => [`\`${code}\``, ERROR_CATALOGUE[code].message, ERROR_GUIDANCE[code]])
      return `### ${status}\n\n${renderTable(['code', 'message', 'when, and what to do'], rows)}`
    })
    .join('\n\n')
}

/** Renders the table of rejection codes of the rail and what Trilho does for each. */
function renderRailCodeTable(): string {
  const rows = Object.entries(RAIL_CODES).map(([code, { meaning, fallback }]) => [
    `\`${code}\``,
    meaning,
    FALLBACK_TEXTS[fallback],
  ])
  return renderTable(['code', 'meaning', 'then'], rows)
}

const FALLBACK_TEXTS: Record<RailCode['fallback'], string> = {
  other_may_help: 'the next provider is tried',
  final: 'final',
  return_only: 'final; occurs on returns only',
}

function renderTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** Replaces the tables of the document, each between the markers of its name. */
export function updateErrorTables(document: string): string {
  return Object.entries({ refusals: renderErrorTables(), rail: renderRailCodeTable() }).reduce(
    (text, [name, made]) =>
      text.replace(
        new RegExp(`(<!-- made: ${name} -->)[\\s\\S]*?(<!-- end -->)`),
        (_, open: string, end: string) => `${open}\n\n${made}\n\n${end}`,
      ),
    document,
  )
}
