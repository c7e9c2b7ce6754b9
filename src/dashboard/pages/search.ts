import { type SearchResult, searchAllOperations, searchOperations } from '../../api/operations/search.ts'
import type { SearchTerms } from '../../db/repositories/search.ts'
import { SEARCHED_NOUNS, type SearchedNoun } from '../../domain/shared/nouns.ts'
import { foldSearchText, splitByMatches } from '../../domain/shared/search-text.ts'
import type { AccountPermission } from '../../domain/users/roles.ts'
import { html, type Markup } from '../../views/markup.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import { createPage } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { buildNavigation } from '../views/navigation.ts'
import { restrictToOneMode } from './connections.ts'
import { getShownRecurrenceStatus } from './recurrences/recurrences.ts'
import { readSearch } from './search-text.ts'

/** Folder of the pages of what a search finds. */
export const PAGES_OF_NOUNS: Record<SearchedNoun, string> = {
  charge: '/dashboard/charges',
  transfer: '/dashboard/transfers',
  recurrence: '/dashboard/recurrences',
  dispute: '/dashboard/disputes',
  unmatched: '/dashboard/unmatched',
}

/** Registers the search over everything of an account; every page opens it in a dialog. */
export function registerSearchPage({ get }: DashboardRouter): void {
  get('money.read', '/dashboard/search', async visit => {
    const { em, token, modes } = { em: visit.em, ...(await restrictToOneMode(visit)) }
    const { text, terms } = readSearch(visit)
    const results = text === '' ? [] : await searchOperations(em.fork(), token, terms)
    const groups = groupResults(results, terms)
    const actions = listActions(visit, text, token.mode)
    return createPage('search', { text, count: results.length, groups, actions, mode: token.mode, modes })
  })
}

/** Finds the operations of all accounts by the search text of an operator's page, as rows that name neither payer nor receiver. */
export async function findForOperator(visit: PageContext<'operator'>) {
  const { text, terms } = readSearch(visit)
  if (text === '') return []
  const results = await searchAllOperations(visit.em.fork(), terms)
  // A payer's data is shown once the account has been opened, for a recorded reason.
  return results.map(({ noun, uuid, accountUuid, cents, status, createdAt }) => {
    return { noun, uuid, accountUuid, cents, status: getShownStatus(noun, status), createdAt }
  })
}

/** Groups results by noun, in the order of the nouns, with their matching parts in bold. */
function groupResults(results: SearchResult[], { wordLists }: SearchTerms) {
  const words = wordLists.flat()
  const groups = SEARCHED_NOUNS.map(noun => ({
    noun,
    rows: results
      .filter(result => result.noun === noun)
      .map(({ uuid, cents, status, createdAt, party, reference, texts }) => {
        const shown = [party, reference].filter(text => typeof text === 'string' && text !== '')
        const detail = texts.find(text => !shown.includes(text) && hasMatch(text, words))
        return {
          path: `${PAGES_OF_NOUNS[noun]}/${uuid}`,
          uuid,
          cents,
          status: getShownStatus(noun, status),
          createdAt,
          party: renderMatches(party ?? '', words),
          reference: renderMatches(reference ?? '', words),
          detail: detail === undefined ? null : renderMatches(detail, words),
        }
      }),
  }))
  return groups.filter(({ rows }) => rows.length > 0)
}

const getShownStatus = (noun: SearchedNoun, status: string) =>
  noun === 'recurrence' ? getShownRecurrenceStatus(status) : status

function hasMatch(text: string, words: string[]): boolean {
  return splitByMatches(text, words).some(({ isMatch }) => isMatch)
}

function renderMatches(text: string, words: string[]): Markup {
  return html`${splitByMatches(text, words).map(part => (part.isMatch ? html`<b>${part.text}</b>` : part.text))}`
}

type Action = { path: string; phrase: string; permission: AccountPermission }

/** What a person begins from anywhere. */
const ACTIONS: Action[] = [
  { path: '/dashboard/charges/new', phrase: 'charge.create', permission: 'charges.write' },
  { path: '/dashboard/transfers/new', phrase: 'transfer.create', permission: 'transfers.write' },
  { path: '/dashboard/recurrences/new', phrase: 'recurrence.create', permission: 'charges.write' },
]

/** Lists the actions and pages whose names have every word of the text; without one the actions and all pages. */
function listActions({ session, t }: PageContext<'merchant'>, text: string, mode: string) {
  const isOwn = session.user.role !== 'operator'
  const actions = ACTIONS.filter(({ permission }) => isOwn && hasPermission(session, permission))
  const pages = buildNavigation(session, '/dashboard/search', {}).flatMap(({ entries }) => entries)
  const words = foldSearchText(text).split(' ')
  return [
    ...actions.map(({ path, phrase }) => ({ path: `${path}?mode=${mode}`, name: t(phrase) })),
    ...pages.map(({ path, name }) => ({ path, name: t(`nav.${name}`) })),
  ].filter(({ name }) => words.every(word => ` ${foldSearchText(name)}`.includes(` ${word}`)))
}
