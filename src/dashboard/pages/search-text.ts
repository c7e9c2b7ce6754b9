import { readSearchTerms } from '../../api/operations/search.ts'
import type { SearchTerms } from '../../db/repositories/search.ts'
import { centsFromReais } from '../../domain/ledger/money.ts'
import { cleanSearchText, normalizeAmount } from '../http/form.ts'
import type { PageContext } from '../http/page-context.ts'

/** Longest search text: that of a PIX code (EMV QRCPS section 4.2). */
const MAX_TEXT_LENGTH = 512

/** Reads the search text of a page, and what it may mean in the language of the page. */
export function readSearch({ query, form, language }: Pick<PageContext, 'query' | 'form' | 'language'>): {
  text: string
  terms: SearchTerms
} {
  const text = cleanSearchText(query.q ?? form.get('q') ?? '', MAX_TEXT_LENGTH)
  const amount = normalizeAmount(text, language)
  const cents = amount ? (centsFromReais(Number(amount)) ?? undefined) : undefined
  return { text, terms: readSearchTerms(text, cents) }
}
