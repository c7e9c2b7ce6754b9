import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER, createListCollector, parsePage } from '../adapter/answer-parsing.ts'
import {
  buildTooManyPages,
  type ListPeriod,
  type ListResult,
  type RequestBudget,
  readHalves,
} from '../adapter/list-halves.ts'
import type { createProviderCalls } from '../adapter/provider-calls.ts'
import type { WooviCall } from './answers.ts'

type WooviListCall = { call: WooviCall; path: string; filter?: Record<string, string>; reference?: string }

export type WooviList<Item> = WooviListCall & {
  /** Field of the answer that contains the items. */
  field: string
  item: z.ZodType<Item>
  keyOf: (item: Item) => string
}

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

export const tooManyPages = buildTooManyPages(MAX_REQUESTS)

/**
 * Creates the reader of Woovi's lists. The next page starts after the received items, which may be fewer than
 * requested. A list ends with an empty page, at the total that Woovi reports, or, without a total, when Woovi reports
 * no next page. Of an item that is listed twice, the last version counts; an unreadable item is left out and recorded.
 */
export function createWooviListReader(
  client: Pick<ReturnType<typeof createProviderCalls<WooviCall>>, 'lookUpExisting'>,
) {
  return readAllPages

  /**
   * Reads a whole list. One that exceeds MAX_SKIPPED is read in halves of its period, at once where the first page has
   * the total; without a period it fails.
   */
  async function readAllPages<Item>(
    list: WooviList<Item>,
    period?: ListPeriod,
    budget = createRequestBudget(),
  ): Promise<ListResult<Item> | NoAnswerResult> {
    const collector = createListCollector(list.keyOf)
    let skip = 0
    for (let repeats = 0; repeats < MAX_REPEATS; ) {
      if (budget.requests === 0) return tooManyPages
      if (skip > MAX_SKIPPED) return period ? readInHalves(list, period, budget) : tooManyPages
      budget.requests -= 1
      const call = buildPageCall(list, skip, period)
      const outcome = await client.lookUpExisting(call, ANY_ANSWER, (json, notes) => {
        const body = z.looseObject({ [list.field]: z.array(z.unknown()) }).safeParse(json).data
        return (
          body && {
            page: parsePage(list.item, body[list.field], notes),
            info: pageInfoSchema.safeParse(body.pageInfo).data ?? {},
          }
        )
      })
      if (outcome.kind === 'no_answer') return outcome
      const { page, info } = outcome
      if (period && skip === 0 && (info.totalCount ?? 0) > MAX_SKIPPED + PAGE_SIZE)
        return readInHalves(list, period, budget)
      const hasNewItems = collector.addPage(page)
      const received = page.items.length + page.unreadableItems.length
      skip += received
      if (received === 0 || !hasMorePages(info, { skip, hasNewItems })) return collector.getList()
      repeats = hasNewItems ? 0 : repeats + 1
    }
    return tooManyPages
  }

  function readInHalves<Item>(list: WooviList<Item>, period: ListPeriod, budget: RequestBudget) {
    const read = (half: ListPeriod) => readAllPages(list, half, budget)
    return readHalves(period, { keyOf: list.keyOf, read, tooManyPages })
  }
}

function buildPageCall({ call, reference, path, filter }: WooviListCall, skip: number, period?: ListPeriod) {
  const bounds = period && { start: period.from, end: period.to }
  const page = { skip: String(skip), limit: String(PAGE_SIZE) }
  const query = new URLSearchParams({ ...filter, ...bounds, ...page })
  return { call, reference, path: `${path}?${query}`, ...(period && { period }) }
}

const pageInfoSchema = z.object({
  totalCount: z.int().min(0).nullish().catch(null),
  hasNextPage: z.boolean().nullish().catch(null),
})
type PageInfo = z.infer<typeof pageInfoSchema>

/** Tells whether a page follows. Without total and next page, a page without a new item is the last. */
function hasMorePages(
  { totalCount, hasNextPage }: PageInfo,
  { skip, hasNewItems }: { skip: number; hasNewItems: boolean },
) {
  if (typeof totalCount === 'number') return skip < totalCount || hasNextPage === true
  return hasNextPage ?? hasNewItems
}
