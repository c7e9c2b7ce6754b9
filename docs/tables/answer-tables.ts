import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import type {
  AnswerMeaning,
  DocumentedAnswer,
  DocumentedAnswers,
} from '../../src/providers/adapter/documented-answers.ts'
import { efiAnswers } from '../../src/providers/efi/answers.ts'
import { interAnswers } from '../../src/providers/inter/answers.ts'
import { sicoobAnswers } from '../../src/providers/sicoob/answers.ts'
import { starkAnswers } from '../../src/providers/stark/answers.ts'
import { wooviAnswers } from '../../src/providers/woovi/answers.ts'
import { renderTable, replaceMadeTables } from './made-tables.ts'

export const ANSWER_TABLES: Record<ProviderApi, DocumentedAnswers> = {
  efi: efiAnswers,
  stark: starkAnswers,
  woovi: wooviAnswers,
  sicoob: sicoobAnswers,
  inter: interAnswers,
}

/** Replaces the table between the markers of a provider's page. */
export function replaceAnswerTable(page: string, answers: DocumentedAnswers): string {
  return replaceMadeTables(page, { answers: renderAnswerTable(answers) })
}

const TABLE_HEADER = ['operation', 'HTTP', 'name', 'means', 'our code', 'another provider may help', 'source']

function renderAnswerTable(answers: DocumentedAnswers): string {
  const rows = Object.entries(answers).flatMap(([call, lines]) => lines.map(line => renderRow(call, line)))
  return renderTable(TABLE_HEADER, rows)
}

function renderRow(call: string, { status, name, meaning, source }: DocumentedAnswer): string[] {
  const { code, next } = describeMeaning(meaning)
  return [call, String(status), `\`${name}\``, meaning.kind, code, next, source].map(cell =>
    cell.replaceAll('|', '\\|'),
  )
}

function describeMeaning(meaning: AnswerMeaning): { code: string; next: string } {
  if (meaning.kind !== 'refused') return { code: '', next: '' }
  if (meaning.isByRail)
    return { code: `the rail's, else \`${meaning.code}\``, next: "as the rail's code says, else no" }
  return { code: `\`${meaning.code}\``, next: meaning.finality === 'final' ? 'no' : 'yes' }
}
