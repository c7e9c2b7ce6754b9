import type { z } from 'zod'
import { buildListPage } from '../../api/http/pagination.ts'
import type { FieldErrors } from '../../api/http/validate.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, validateFormFields } from '../http/form.ts'
import { RESERVED_QUERY_NAMES } from '../http/page.ts'
import type { PageContext } from '../http/router.ts'

type ListQuery = { page: number; per_page: number }
type ListResult<Row> = { data: Row[]; meta: ReturnType<typeof buildListPage>['meta'] }

/** A list by the API's own filters; filters that do not fit are named, and nothing is listed. */
export async function listByFilters<S extends z.ZodType<ListQuery>, Row>(
  { query, language }: PageContext,
  schema: S,
  list: (query: z.output<S>) => Promise<ListResult<Row>>,
): Promise<ListResult<Row> & { wrong: FieldErrors }> {
  const wrong: FieldErrors = {}
  const filters = Object.entries(query)
    .filter(([name]) => !RESERVED_QUERY_NAMES.includes(name))
    .map(([name, value]) => {
      const read = name.startsWith('value_') ? normalizeAmount(value, language) : value.trim()
      if (read === null) wrong[name] = [AMOUNT_FORMAT_MESSAGE]
      return [name, read ?? '']
    })
  const asked = validateFormFields(schema, Object.fromEntries(filters))
  if (asked.kind === 'invalid') Object.assign(wrong, asked.errors)
  else if (Object.keys(wrong).length === 0) return { ...(await list(asked.value)), wrong }
  return { ...buildListPage<Row>({ page: 1, per_page: 15, total: 0, rows: [] }), wrong }
}
