import { z } from 'zod'
import { optionalField } from '../adapter/fields.ts'
import type { Paging, RequestBudget } from '../adapter/list-reader.ts'

/** "O endpoint limita a 100 transações por request." */
const PAGE_SIZE = 100
/** The one limit of `skip` that Woovi publishes ("Como consultar e listar Pagamentos?"). */
const MAX_SKIPPED = 10_000
/** Consecutive pages without a new item after which a list counts as endless. */
const MAX_REPEATS = 3
const MAX_REQUESTS = 1_000

export function createRequestBudget(): RequestBudget {
  return { requests: MAX_REQUESTS }
}

/**
 * Pages Woovi's lists. The next page starts after the received items, which may be fewer than requested. A list ends with
 * an empty page, at the total that Woovi reports, or, without a total, when Woovi reports no next page; without either, a
 * page without a new item is the last. One that exceeds MAX_SKIPPED is too long, at once where the first page has the total.
 */
export const wooviPaging: Paging<{ skip: number; repeats: number }> = {
  maxRequests: MAX_REQUESTS,
  firstPosition: { skip: 0, repeats: 0 },
  buildQuery: ({ skip }, period) => ({
    ...(period && { start: period.from, end: period.to }),
    skip: String(skip),
    limit: String(PAGE_SIZE),
  }),
  readPage(json, field) {
    const body = z.looseObject({ [field]: z.array(z.unknown()) }).safeParse(json).data
    if (!body) return undefined
    const { totalCount, hasNextPage } = pageInfoSchema.safeParse(body.pageInfo).data ?? {}
    return { rows: body[field] ?? [], total: totalCount ?? null, hasNextPage: hasNextPage ?? null }
  },
  getNextPosition({ skip, repeats }, { receivedCount, hasNewItems, total, hasNextPage, hasPeriod }) {
    if (hasPeriod && skip === 0 && (total ?? 0) > MAX_SKIPPED + PAGE_SIZE) return 'too_long'
    const next = { skip: skip + receivedCount, repeats: hasNewItems ? 0 : repeats + 1 }
    const hasMorePages =
      total === null ? (hasNextPage ?? hasNewItems) : next.skip < total || hasNextPage === true
    if (receivedCount === 0 || !hasMorePages) return 'end'
    if (next.repeats === MAX_REPEATS) return 'endless'
    return next.skip > MAX_SKIPPED ? 'too_long' : next
  },
}

const pageInfoSchema = z.object({
  totalCount: optionalField(z.int().min(0)),
  hasNextPage: optionalField(z.boolean()),
})
