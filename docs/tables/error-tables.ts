import type { GuideLanguage } from '../../src/api/docs/guide-pages.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/domain/errors/error-catalogue.ts'
import { RAIL_CODES, type RailCode } from '../../src/domain/pix/rail-codes.ts'
import { ERROR_ACTIONS, ERRORS_OF_GUIDE, type ErrorAction } from './error-actions.ts'
import { ERROR_GUIDANCE } from './error-guidance.ts'
import { renderTable, replaceMadeTables } from './made-tables.ts'

/** Error tables of docs/errors.md and of the guide, generated from the catalogues that the service itself uses. */

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

/** Replaces the tables of the document, each between the markers of its name. */
export function updateErrorTables(document: string): string {
  return replaceMadeTables(document, { refusals: renderErrorTables(), rail: renderRailCodeTable() })
}

/** Replaces the table of errors of a page of the guide: the codes by what a client does next. */
export function updateErrorActions(page: string, language: GuideLanguage): string {
  const groups = Object.entries(ERROR_ACTIONS).map(([action, title]) => {
    const rows = listCodesOf(action as ErrorAction).map(code => [
      `\`${code}\``,
      String(ERROR_CATALOGUE[code].status),
      language === 'pt' ? ERRORS_OF_GUIDE[code].pt : ERROR_GUIDANCE[code],
    ])
    return `### ${title[language]}\n\n${renderTable(ERROR_ACTION_HEADS[language], rows)}`
  })
  return replaceMadeTables(page, { 'error-actions': groups.join('\n\n') })
}

const ERROR_ACTION_HEADS: Record<GuideLanguage, string[]> = {
  en: ['code', 'status', 'when, and what to do'],
  pt: ['código', 'status', 'quando, e o que fazer'],
}

function listCodesOf(action: ErrorAction): ErrorCode[] {
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[]
  return codes.filter(code => ERRORS_OF_GUIDE[code].action === action)
}
