import type { z } from 'zod'
import { buildListPage } from '../../api/operations/pagination.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, validateFormFields } from '../http/form.ts'
import { RESERVED_QUERY_NAMES } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'

type ListQuery = { page: number; per_page: number }
type ListResult<Row> = { data: Row[]; meta: ReturnType<typeof buildListPage>['meta'] }
/** Model of a list; `wrong` has the errors of the filters. */
type ListModel<Row> = { rows: Row[]; meta: ListResult<Row>['meta']; wrong: FieldErrors }

/** Lists rows by the API's own filters. Invalid filters give field errors and an empty list. */
export async function listByFilters<S extends z.ZodType<ListQuery>, Row>(
  { query, language }: PageContext,
  schema: S,
  list: (query: z.output<S>) => Promise<ListResult<Row>>,
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
      ? await list(result.value)
      : buildListPage<Row>({ page: 1, per_page: 15, total: 0, rows: [] })
  return { rows: data, meta, wrong: errors }
}
