import { ADVICE } from '../../domain/advice.ts'
import { REFUSALS, type RefusalCode } from '../../domain/errors.ts'
import { type RailCode, railCodes } from '../../domain/rail-codes.ts'

/** What docs/errors.md says of each code, made from the catalogues that the service itself answers by. */

/** The refusals of the API, by status. */
function refusalTables(): string {
  const codes = Object.keys(REFUSALS) as RefusalCode[]
  const byStatus = [...Map.groupBy(codes, code => REFUSALS[code].status)].sort(
    ([one], [other]) => one - other,
  )
  return byStatus
    .map(([status, listed]) => {
      const rows = listed.map(code => [`\`${code}\``, REFUSALS[code].message, ADVICE[code]])
      return `### ${status}\n\n${table(['code', 'message', 'when, and what to do'], rows)}`
    })
    .join('\n\n')
}

/** Why the rail rejects a movement, and what Trilho does then. */
function railTable(): string {
  const rows = Object.entries(railCodes).map(([code, { meaning, fallback }]) => [
    `\`${code}\``,
    meaning,
    THEN[fallback],
  ])
  return table(['code', 'meaning', 'then'], rows)
}

const THEN: Record<RailCode['fallback'], string> = {
  other_may_help: 'the next provider is tried',
  final: 'final',
  return_only: 'final; of returns alone',
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** The document with its tables made anew, each between the marks that bear its name. */
export function withTables(document: string): string {
  return Object.entries({ refusals: refusalTables(), rail: railTable() }).reduce(
    (text, [name, made]) =>
      text.replace(
        new RegExp(`(<!-- made: ${name} -->)[\\s\\S]*?(<!-- end -->)`),
        (_, open: string, end: string) => `${open}\n\n${made}\n\n${end}`,
      ),
    document,
  )
}
