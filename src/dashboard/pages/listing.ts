import type { z } from 'zod'
import type { FieldErrors } from '../../api/check.ts'
import { pageOf } from '../../api/pagination.ts'
import type { Visit } from '../door.ts'
import { amountText, checkFields, NO_AMOUNT } from '../form.ts'
import { OURS } from '../page.ts'

type Asked = { page: number; per_page: number }
type List<Row> = { data: Row[]; meta: ReturnType<typeof pageOf>['meta'] }

/** A list by the API's own filters; filters that do not fit are named, and nothing is listed. */
export async function listed<S extends z.ZodType<Asked>, Row>(
  { query, language }: Visit,
  schema: S,
  list: (query: z.output<S>) => Promise<List<Row>>,
): Promise<List<Row> & { wrong: FieldErrors }> {
  const wrong: FieldErrors = {}
  const filters = Object.entries(query)
    .filter(([name]) => !OURS.includes(name))
    .map(([name, value]) => {
      const read = name.startsWith('value_') ? amountText(value, language) : value.trim()
      if (read === null) wrong[name] = [NO_AMOUNT]
      return [name, read ?? '']
    })
  const asked = checkFields(schema, Object.fromEntries(filters))
  if (asked.kind === 'wrong') Object.assign(wrong, asked.errors)
  else if (Object.keys(wrong).length === 0) return { ...(await list(asked.value)), wrong }
  return { ...pageOf<Row>({ page: 1, per_page: 15, total: 0, rows: [] }), wrong }
}
