import { readSearchTerms, searchOperations } from '../../api/operations/search.ts'
import { centsFromReais } from '../../domain/ledger/money.ts'
import { cleanSearchText, normalizeAmount } from '../http/form.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { restrictToOneMode } from './connections.ts'

/** Longest search text, as long as a reference. */
const MAX_TEXT_LENGTH = 255

/** Registers the search over everything of an account; every page has its field. */
export function registerSearchPage({ get }: DashboardRouter): void {
  get('money.read', '/dashboard/search', async visit => {
    const { em, query, language } = visit
    const { token, modes } = await restrictToOneMode(visit)
    const text = cleanSearchText(query.q ?? '', MAX_TEXT_LENGTH)
    const amount = normalizeAmount(text, language)
    const cents = amount ? (centsFromReais(Number(amount)) ?? undefined) : undefined
    const results = text === '' ? [] : await searchOperations(em.fork(), token, readSearchTerms(text, cents))
    return createPage('search', { text, results, mode: token.mode, modes })
  })
}
