import type { Dialect } from '../domain/provider.ts'
import type { DocumentedAnswer, DocumentedAnswers, Meaning } from './documented.ts'
import { efiAnswers } from './efi/answers.ts'
import { wooviAnswers } from './woovi/answers.ts'

/** The tables that the pages under docs/providers/ show. */
export const ANSWER_TABLES: Record<Dialect, DocumentedAnswers> = {
  efi: efiAnswers,
  woovi: wooviAnswers,
}

/** A provider's page with its table made anew, between its marks. */
export function withAnswers(page: string, answers: DocumentedAnswers): string {
  return page.replace(
    /(<!-- made: answers -->)[\s\S]*?(<!-- end -->)/,
    (_, open: string, end: string) => `${open}\n\n${tableOf(answers)}\n\n${end}`,
  )
}

const HEAD = ['operation', 'HTTP', 'name', 'means', 'our code', 'another provider may help', 'source']

function tableOf(answers: DocumentedAnswers): string {
  const rows = Object.entries(answers).flatMap(([call, listed]) => listed.map(one => rowOf(call, one)))
  return [HEAD, HEAD.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function rowOf(call: string, { status, name, meaning, source }: DocumentedAnswer): string[] {
  const { code, next } = sayOf(meaning)
  return [call, String(status), `\`${name}\``, meaning.kind, code, next, source].map(cell =>
    cell.replaceAll('|', '\\|'),
  )
}

function sayOf(meaning: Meaning): { code: string; next: string } {
  if (meaning.kind !== 'refused') return { code: '', next: '' }
  if (meaning.byRail)
    return { code: `the rail's, else \`${meaning.code}\``, next: "as the rail's code says, else no" }
  return { code: `\`${meaning.code}\``, next: meaning.finality === 'final' ? 'no' : 'yes' }
}
