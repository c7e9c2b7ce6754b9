import type { z } from 'zod'
import { buildListPage, type ListPage } from '../../api/operations/pagination.ts'
import type { PageQuery } from '../../contract/shared/fields.ts'
import { fail } from '../../http/api-error.ts'
import { listFieldNames } from '../../http/field-names.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, validateFormFields } from '../http/form.ts'
import { RESERVED_QUERY_NAMES } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'

type NumberedPage<Row> = ReturnType<typeof buildListPage<Row>>
/** Model of a list; `wrong` has the errors of the filters. */
type ListModel<Row> = { rows: Row[]; meta: NumberedPage<Row>['meta']; wrong: FieldErrors }

type FilteredVisit = Pick<PageContext, 'query' | 'language' | 'timeZone'>

/** Lists rows by the API's own filters. Invalid filters give field errors and an empty list. */
export async function listByFilters<S extends z.ZodType<PageQuery>, Row>(
  visit: FilteredVisit,
  schema: S,
  list: (query: z.output<S>) => Promise<ListPage<Row>>,
): Promise<ListModel<Row>> {
  const filters = validateFilters(visit, schema)
  const { data, meta } =
    filters.kind === 'valid'
      ? requireNumberedPage(await list({ ...filters.value, cursor: undefined }))
      : buildListPage<Row>({ query: {}, total: 0, rows: [], nextCursor: null })
  return { rows: data, meta, wrong: filters.kind === 'invalid' ? filters.errors : {} }
}

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
  const result = validateFormFields(schema, { ...Object.fromEntries(filters), ...zone })
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
