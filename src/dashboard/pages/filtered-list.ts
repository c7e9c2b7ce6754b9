import type { z } from 'zod'
import { buildListPage, type ListPage } from '../../api/operations/pagination.ts'
import type { PageQuery } from '../../contract/shared/fields.ts'
import { fail } from '../../http/api-error.ts'
import { describeInFieldTerms } from '../../http/field-message.ts'
import { listFieldNames } from '../../http/field-names.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, validateFormFields } from '../http/form.ts'
import { LIST_SIZES } from '../http/list-size.ts'
import { RESERVED_QUERY_NAMES } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'

type NumberedPage<Row> = ReturnType<typeof buildListPage<Row>>
/** Model of a list; `wrong` has the errors of the filters. */
type ListModel<Row> = {
  rows: Row[]
  meta: NumberedPage<Row>['meta']
  wrong: FieldErrors
  /** What a user may choose of `LIST_SIZES`; none where the page has a size of its own. */
  listSizes: readonly number[]
}

type FilteredVisit = Pick<PageContext, 'query' | 'language' | 'timeZone'>
type ListVisit = FilteredVisit & Pick<PageContext, 'listSize'>

/**
 * Lists rows by the API's own filters. Invalid filters give field errors and an empty list. A page that the list does not
 * have is its first, or its last where it is too high.
 */
export async function listByFilters<S extends z.ZodType<PageQuery>, Row>(
  visit: ListVisit,
  schema: S,
  list: (query: z.output<S>) => Promise<ListPage<Row>>,
): Promise<ListModel<Row>> {
  const { page, ...query } = visit.query
  const listSizes = LIST_SIZES.some(size => size === visit.listSize) ? LIST_SIZES : []
  const filters = validateFilters({ ...visit, query: isPageNumber(page) ? visit.query : query }, schema)
  if (filters.kind === 'invalid') {
    const { data, meta } = buildListPage<Row>({ query: {}, total: 0, rows: [], nextCursor: null })
    return { rows: data, meta, wrong: filters.errors, listSizes }
  }
  const readPage = async (page: PageQuery) =>
    requireNumberedPage(
      await list({
        ...filters.value,
        per_page: filters.value.per_page ?? visit.listSize,
        ...page,
        cursor: undefined,
      }),
    )
  const requested = await readPage({})
  const { current_page, last_page } = requested.meta
  const { data, meta } = current_page > last_page ? await readPage({ page: last_page }) : requested
  return { rows: data, meta, wrong: {}, listSizes }
}

const isPageNumber = (text: string | undefined) => text !== undefined && /^[1-9]\d{0,8}$/.test(text)

/** Parses the filters of a file, which are those of its list, or fails with 422. */
export function parseFilters<S extends z.ZodType>(visit: FilteredVisit, schema: S): z.output<S> {
  const filters = validateFilters(visit, schema)
  return filters.kind === 'valid' ? filters.value : fail('validation_failed', { errors: filters.errors })
}

/** Validates the filters of a page's query. Their days are those of the clocks by which pages show times. */
function validateFilters<S extends z.ZodType>({ query, language, timeZone }: FilteredVisit, schema: S) {
  const errors: FieldErrors = {}
  const filters = Object.entries(query)
    .filter(([name]) => !RESERVED_QUERY_NAMES.includes(name))
    .map(([name, value]) => {
      const text = name.startsWith('value_') ? normalizeAmount(value, language) : value.trim()
      if (text === null) errors[name] = [AMOUNT_FORMAT_MESSAGE]
      return [name, text ?? '']
    })
  const zone = listFieldNames(schema).includes('time_zone') ? { time_zone: timeZone } : {}
  const result = validateFormFields(schema, { ...Object.fromEntries(filters), ...zone }, describeInPageTerms)
  if (result.kind === 'invalid') Object.assign(errors, result.errors)
  return result.kind === 'valid' && Object.keys(errors).length === 0
    ? result
    : { kind: 'invalid' as const, errors }
}

/** Returns a page with its numbers: no page of the dashboard is read by cursor. */
function requireNumberedPage<Row>({ data, meta }: ListPage<Row>): NumberedPage<Row> {
  if (!('total' in meta)) throw new Error('this page was read by cursor')
  return { data, meta }
}

/** Describes an error of a filter: the choices are in the form, by names that are not those of the API. */
const describeInPageTerms: z.core.$ZodErrorMap = issue =>
  issue.code === 'invalid_value' ? 'must be one of the choices' : describeInFieldTerms(issue)
