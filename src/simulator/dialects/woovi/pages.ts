import type { Answer, Call } from '../../calls.ts'
import { pageQuery, read } from './schemas.ts'

type Listing<Item> = {
  /** The field the items are listed under. */
  field: string
  /** Every item of [from, to], both ISO 8601 UTC with milliseconds, oldest first. */
  between(range: { from: string; to: string }): Item[]
  shown(item: Item): object
}

/** A page of a list, newest first, as Woovi pages: by how many to skip. */
export function listed<Item>(call: Call, { field, between, shown }: Listing<Item>): Answer {
  const query = read(pageQuery, Object.fromEntries(call.query))
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
  if (oddItem) items.push(() => oddItem)
  const pageInfo = {
    skip,
    limit,
    totalCount: items.length,
    hasPreviousPage: skip > 0,
    hasNextPage: skip + limit < items.length,
  }
  const page = items.slice(skip, skip + limit).map(show => show())
  return { status: 200, body: { pageInfo, status: 'OK', [field]: page } }
}
