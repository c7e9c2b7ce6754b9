import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { parseWooviBody, wooviPageQuery } from './schemas.ts'

type WooviListOptions<Item> = {
  /** Field of the answer that contains the items. */
  field: string
  /** Lists every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  present(item: Item): object
}

/** Builds a page of a list, newest first, by the number of items to skip. */
export function buildWooviListPage<Item>(
  call: SimulatedCall,
  { field, between, present }: WooviListOptions<Item>,
): SimulatedResponse {
  const query = parseWooviBody(wooviPageQuery, Object.fromEntries(call.query))
  if ('refusal' in query) return query.refusal
  const { start, end, skip, limit: requestedLimit } = query.value
  const { pageSize, unlistedItem } = call.view
  const limit = Math.min(requestedLimit, pageSize ?? requestedLimit)
  const range = { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
  const items = between(range).reverse()
  const totalCount = items.length + (unlistedItem ? 1 : 0)
  const pageInfo = {
    skip,
    limit,
    totalCount,
    hasPreviousPage: skip > 0,
    hasNextPage: skip + limit < totalCount,
  }
  const page = items.slice(skip, skip + limit).map(present)
  // The item is added to whichever page is requested, so that the caller certainly receives it.
  if (unlistedItem) page.push(unlistedItem)
  return { status: 200, body: { pageInfo, status: 'OK', [field]: page } }
}
