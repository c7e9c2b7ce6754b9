import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { type AnswerNotes, parseItems } from '../adapter/answer-parsing.ts'
import type { WooviCall } from './answers.ts'
import type { WooviClient } from './client.ts'

type ListPeriod = { from: string; to: string }

export type WooviList<Item> = {
  call: WooviCall
  path: string
  /** The field the items are listed under. */
  field: string
  item: z.ZodType<Item>
  /** The same for an item that is listed twice. */
  keyOf: (item: Item) => string
  filter?: Record<string, string>
  reference?: string
}
export type WooviListResult<Item> = { kind: 'found'; items: Item[]; unreadableItems: unknown[] }

/** "O endpoint limita a 100 transações por request." */
const PAGE_SIZE = 100
/** Woovi limits `skip` and says to narrow the period instead ("Como consultar e listar Pagamentos?"); 10,000 where it names one. */
const MAX_SKIPPED = 10_000
/** Pages in a row that bring nothing new before a list counts as one that does not end. */
const MAX_REPEATS = 3
/** Requests that one list may take, whatever Woovi tells of its end. */
const MAX_REQUESTS = 1_000

const tooManyPages: NoAnswerResult = {
  kind: 'no_answer',
  code: 'too_many_pages',
  message: 'The list is longer than it may be',
}

/**
 * Woovi's lists, read to their end. The next page begins after the items that came, however many were asked for. A list
 * ends with an empty page, at the total that Woovi tells, or where Woovi tells no total and says that no page follows. An
 * item that is listed twice counts once, as it was told last; one that cannot be read is left out and recorded.
 */
export function createWooviPagination(client: WooviClient) {
  /** Without a period the list cannot be narrowed. */
  async function readAllPages<Item>(
    list: WooviList<Item>,
    period?: ListPeriod,
    left = { requests: MAX_REQUESTS },
  ): Promise<WooviListResult<Item> | NoAnswerResult> {
    const items = new Map<string, Item>()
    const leftOut = new Map<string, unknown>()
    let skip = 0
    for (let repeats = 0; repeats < MAX_REPEATS; ) {
      if (left.requests === 0) return tooManyPages
      if (skip > MAX_SKIPPED) return period ? inHalves(list, period, left) : tooManyPages
      left.requests -= 1
      const outcome = await client.lookUpExisting(buildPageCall(list, { skip, period }), (json, notes) =>
        readWooviPage(list, json, notes),
      )
      if (outcome.kind === 'no_answer') return outcome
      const { page, info } = outcome
      const known = items.size + leftOut.size
      for (const item of page.items) items.set(list.keyOf(item), item)
      for (const item of page.leftOut) leftOut.set(JSON.stringify(item), item)

      const came = page.items.length + page.leftOut.length
      skip += came
      const isNews = items.size + leftOut.size > known
      if (came === 0 || !hasMorePages(info, { skip, isNews }))
        return { kind: 'found', items: [...items.values()], unreadableItems: [...leftOut.values()] }
      repeats = isNews ? 0 : repeats + 1
    }
    return tooManyPages
  }

  /** Both halves include the moment between them: what is listed in both counts once. */
  async function inHalves<Item>(
    list: WooviList<Item>,
    { from, to }: ListPeriod,
    left: { requests: number },
  ): Promise<WooviListResult<Item> | NoAnswerResult> {
    const [start, end] = [Date.parse(from), Date.parse(to)]
    if (end - start < 2) return tooManyPages
    const middle = new Date(Math.floor((start + end) / 2)).toISOString()
    const earlier = await readAllPages(list, { from, to: middle }, left)
    if (earlier.kind === 'no_answer') return earlier
    const later = await readAllPages(list, { from: middle, to }, left)
    if (later.kind === 'no_answer') return later
    const items = new Map([...earlier.items, ...later.items].map(item => [list.keyOf(item), item]))
    const leftOut = new Map(
      [...earlier.unreadableItems, ...later.unreadableItems].map(item => [JSON.stringify(item), item]),
    )
    return { kind: 'found', items: [...items.values()], unreadableItems: [...leftOut.values()] }
  }

  return { readAllPages }
}

function buildPageCall<Item>(
  list: WooviList<Item>,
  { skip, period }: { skip: number; period: ListPeriod | undefined },
) {
  const query = new URLSearchParams({
    ...list.filter,
    ...(period ? { start: period.from, end: period.to } : {}),
    skip: String(skip),
    limit: String(PAGE_SIZE),
  })
  return {
    call: list.call,
    reference: list.reference ?? null,
    method: 'GET',
    path: `${list.path}?${query}`,
    ...(period ? { period } : {}),
  } as const
}

const pageInfoSchema = z.object({
  totalCount: z.int().min(0).nullish().catch(null),
  hasNextPage: z.boolean().nullish().catch(null),
})
type PageInfo = z.infer<typeof pageInfoSchema>

type WooviPage<Item> = { page: { items: Item[]; leftOut: unknown[] }; info: PageInfo }

function readWooviPage<Item>(
  { field, item }: WooviList<Item>,
  json: unknown,
  notes: AnswerNotes,
): WooviPage<Item> | undefined {
  const body = z.looseObject({ [field]: z.array(z.unknown()) }).safeParse(json).data
  if (!body) return undefined
  const leftOut: unknown[] = []
  const items = parseItems(item, body[field], {
    ...notes,
    noteUnreadableItem(one, name) {
      leftOut.push(one)
      notes.noteUnreadableItem(one, name)
    },
  })
  const info = pageInfoSchema.safeParse(body.pageInfo).data ?? {}
  return { page: { items, leftOut }, info }
}

/** Where Woovi says nothing of an end, a page that brings nothing new is one. */
function hasMorePages(
  { totalCount, hasNextPage }: PageInfo,
  { skip, isNews }: { skip: number; isNews: boolean },
) {
  if (typeof totalCount === 'number') return skip < totalCount || hasNextPage === true
  return hasNextPage ?? isNews
}
