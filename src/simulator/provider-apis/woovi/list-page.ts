import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { parseWooviBody, wooviPageQuery } from './schemas.ts'

type WooviListOptions<Item> = {
  /** The field the items are listed under. */
  field: string
  /** Every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  present(item: Item): object
}

/** A page of a list, newest first, as Woovi pages: by how many to skip. */
export function buildWooviListPage<Item>(
  call: SimulatedCall,
  { field, between, present: shown }: WooviListOptions<Item>,
): SimulatedResponse {
  const query = parseWooviBody(wooviPageQuery, Object.fromEntries(call.query))
  if ('refusal' in query) return query.refusal
  const { start, end, skip, limit: wanted } = query.value
  const { pageSize, oddItem } = call.view
  const limit = Math.min(wanted, pageSize ?? wanted)
  const items: (() => object)[] = between({
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
  })
    .reverse()
    .map(item => () => shown(item))
  const totalCount = items.length + (oddItem ? 1 : 0)
  const pageInfo = {
    skip,
    limit,
    totalCount,
    hasPreviousPage: skip > 0,
    hasNextPage: skip + limit < totalCount,
  }
  const page = items.slice(skip, skip + limit).map(show => show())
  // On the page that is asked for: only its reader can be held to have seen it.
  if (oddItem) page.push(oddItem)
  return { status: 200, body: { pageInfo, status: 'OK', [field]: page } }
}
