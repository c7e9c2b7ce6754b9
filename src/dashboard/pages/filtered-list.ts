import type { z } from 'zod'
import { buildListPage, type ListPage } from '../../api/operations/pagination.ts'
import type { PageQuery } from '../../contract/shared/fields.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, validateFormFields } from '../http/form.ts'
import { RESERVED_QUERY_NAMES } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'

type NumberedPage<Row> = ReturnType<typeof buildListPage<Row>>
/** Model of a list; `wrong` has the errors of the filters. */
type ListModel<Row> = { rows: Row[]; meta: NumberedPage<Row>['meta']; wrong: FieldErrors }

/** Lists rows by the API's own filters. Invalid filters give field errors and an empty list. */
export async function listByFilters<S extends z.ZodType<PageQuery>, Row>(
  { query, language }: PageContext,
  schema: S,
  list: (query: z.output<S>) => Promise<ListPage<Row>>,
): Promise<ListModel<Row>> {
  const errors: FieldErrors = {}
  const filters = Object.entries(query)
    .filter(([name]) => !RESERVED_QUERY_NAMES.includes(name))
    .map(([name, value]) => {
      const text = name.startsWith('value_') ? normalizeAmount(value, language) : value.trim()
      if (text === null) errors[name] = [AMOUNT_FORMAT_MESSAGE]
      return [name, text ?? '']
    })
  const result = validateFormFields(schema, Object.fromEntries(filters))
  if (result.kind === 'invalid') Object.assign(errors, result.errors)
  const { data, meta } =
    result.kind === 'valid' && Object.keys(errors).length === 0
      ? requireNumberedPage(await list({ ...result.value, cursor: undefined }))
      : buildListPage<Row>({ query: {}, total: 0, rows: [], nextCursor: null })
  return { rows: data, meta, wrong: errors }
}

/** Returns a page with its numbers: no page of the dashboard is read by cursor. */
function requireNumberedPage<Row>({ data, meta }: ListPage<Row>): NumberedPage<Row> {
  if (!('total' in meta)) throw new Error('this page was read by cursor')
  return { data, meta }
}
