import { z } from 'zod'
import { runInTransaction } from '../../db/client/transaction.ts'
import { type SavedFilter, User } from '../../db/entities/user.ts'
import { lockRow } from '../../db/locks.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { failField } from '../../http/api-error.ts'
import { parseFormFields } from '../http/form.ts'
import { RESERVED_QUERY_NAMES, redirect, withQuery } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'

/** Filters of lists that a user has named; each is a tab of its list, for that user alone. */

const PATH = '/dashboard/filters'
/** Most filters that a user keeps. */
const MAX_SAVED_FILTERS = 20

const removedFilterSchema = z.object({
  list: z.string().regex(/^\/dashboard(\/[a-z-]+){1,2}$/),
  name: z.string().trim().min(1).max(40),
})
const savedFilterSchema = removedFilterSchema.extend({ query: z.string().min(1).max(2_000) })

type MerchantVisit = PageContext<'merchant'>

/** Registers the forms that save a filter of a list and remove it again. */
export function registerSavedFilterForms({ post }: DashboardRouter): void {
  post('money.read', PATH, {
    async handle(visit) {
      const { query, ...fields } = parseFormFields(savedFilterSchema, visit.form)
      const filter = { ...fields, query: formatFilter(parseQuery(query)) }
      await changeSavedFilters(visit, filters => {
        const others = filters.filter(one => !isSameFilter(one, filter))
        if (others.length >= MAX_SAVED_FILTERS) failField('name', 'must have at most 20 entries')
        return [...others, filter]
      })
      return returnToList(visit, filter, 'filter_saved')
    },
  })

  post('money.read', `${PATH}/remove`, {
    async handle(visit) {
      const filter = parseFormFields(removedFilterSchema, visit.form)
      await changeSavedFilters(visit, filters => filters.filter(one => !isSameFilter(one, filter)))
      return returnToList(visit, { ...filter, query: '' }, 'filter_removed')
    },
  })
}

function changeSavedFilters(
  { em, session }: MerchantVisit,
  change: (filters: SavedFilter[]) => SavedFilter[],
): Promise<void> {
  return runInTransaction(em, async tx => {
    const [user] = await lockRow(tx, User, session.user.uuid, noQuery)
    user.savedFilters = change(user.savedFilters)
  })
}

const isSameFilter = (one: Pick<SavedFilter, 'list' | 'name'>, other: Pick<SavedFilter, 'list' | 'name'>) =>
  one.list === other.list && one.name === other.name

function returnToList({ form }: MerchantVisit, { list, query }: SavedFilter, done: string) {
  return redirect(withQuery(list, { mode: form.get('mode') ?? undefined, ...parseQuery(query), done }))
}

/** Presents the filters that a user has saved of a list, as its tabs. */
export async function presentSavedFilters({ em, session, query }: MerchantVisit, list: string) {
  const user = await em.fork().findOneOrFail(User, session.user.uuid, { fields: ['savedFilters'] })
  const current = formatFilter(query)
  return user.savedFilters
    .filter(one => one.list === list)
    .map(one => ({
      name: one.name,
      /** In place of the phrase of a tab. */
      label: one.name,
      href: withQuery(list, { mode: query.mode, ...parseQuery(one.query) }),
      isChosen: one.query === current,
    }))
}

const parseQuery = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** Parameters of an address that select no rows, or only a page of them. */
const UNSAVED_NAMES = [...RESERVED_QUERY_NAMES.filter(name => name !== 'sort'), 'page', 'per_page']

/** Formats the filters and the order of a list as one text, the same for every order of its parameters; empty without any. */
export function formatFilter(query: Record<string, string>): string {
  const filters = Object.entries(query).filter(
    ([name, value]) => value !== '' && !UNSAVED_NAMES.includes(name),
  )
  return new URLSearchParams(filters.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString()
}
