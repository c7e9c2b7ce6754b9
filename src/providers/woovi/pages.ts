import { z } from 'zod'
import type { NoAnswer } from '../../domain/provider.ts'
import { type ReadNotes, readItems } from '../reading.ts'
import type { WooviCall } from './answers.ts'
import type { WooviClient } from './client.ts'

type Period = { from: string; to: string }

export type List<Item> = {
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
export type Listed<Item> = { kind: 'found'; items: Item[]; leftOut: unknown[] }

/** "O endpoint limita a 100 transações por request." */
const PAGE_SIZE = 100
/** Woovi limits `skip` and says to narrow the period instead ("Como consultar e listar Pagamentos?"); 10,000 where it names one. */
const MOST_SKIPPED = 10_000
/** Pages in a row that bring nothing new before a list counts as one that does not end. */
const MOST_REPEATS = 3
/** Requests that one list may take, whatever Woovi tells of its end. */
const MOST_REQUESTS = 1_000

const tooManyPages: NoAnswer = {
  kind: 'no_answer',
  code: 'too_many_pages',
  message: 'The list is longer than it may be',
}

/**
 * Woovi's lists, read to their end. The next page begins after the items that came, however many were asked for. A list
 * ends with an empty page, at the total that Woovi tells, or where Woovi tells no total and says that no page follows. An
 * item that is listed twice counts once, as it was told last; one that cannot be read is left out and recorded.
 */
export function pagesOf(client: WooviClient) {
  /** Without a period the list cannot be narrowed. */
  async function everyPage<Item>(
    list: List<Item>,
    period?: Period,
    left = { requests: MOST_REQUESTS },
  ): Promise<Listed<Item> | NoAnswer> {
    const items = new Map<string, Item>()
    const leftOut = new Map<string, unknown>()
    let skip = 0
    for (let repeats = 0; repeats < MOST_REPEATS; ) {
      if (left.requests === 0) return tooManyPages
      if (skip > MOST_SKIPPED) return period ? inHalves(list, period, left) : tooManyPages
      left.requests -= 1
      const outcome = await client.lookUpOwn(pageCall(list, { skip, period }), (json, notes) =>
        readPage(list, json, notes),
      )
      if (outcome.kind === 'no_answer') return outcome
      const { page, info } = outcome
      const known = items.size + leftOut.size
      for (const item of page.items) items.set(list.keyOf(item), item)
      for (const item of page.leftOut) leftOut.set(JSON.stringify(item), item)

      const came = page.items.length + page.leftOut.length
      skip += came
      const isNews = items.size + leftOut.size > known
      if (came === 0 || !goesOn(info, { skip, isNews }))
        return { kind: 'found', items: [...items.values()], leftOut: [...leftOut.values()] }
      repeats = isNews ? 0 : repeats + 1
    }
    return tooManyPages
  }

  /** Both halves include the moment between them: what is listed in both counts once. */
  async function inHalves<Item>(
    list: List<Item>,
    { from, to }: Period,
    left: { requests: number },
  ): Promise<Listed<Item> | NoAnswer> {
    const [start, end] = [Date.parse(from), Date.parse(to)]
    if (end - start < 2) return tooManyPages
    const middle = new Date(Math.floor((start + end) / 2)).toISOString()
    const earlier = await everyPage(list, { from, to: middle }, left)
    if (earlier.kind === 'no_answer') return earlier
    const later = await everyPage(list, { from: middle, to }, left)
    if (later.kind === 'no_answer') return later
    const items = new Map([...earlier.items, ...later.items].map(item => [list.keyOf(item), item]))
    const leftOut = new Map([...earlier.leftOut, ...later.leftOut].map(item => [JSON.stringify(item), item]))
    return { kind: 'found', items: [...items.values()], leftOut: [...leftOut.values()] }
  }

  return { everyPage }
}

function pageCall<Item>(list: List<Item>, { skip, period }: { skip: number; period: Period | undefined }) {
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

const pageInfo = z.object({
  totalCount: z.int().min(0).nullish().catch(null),
  hasNextPage: z.boolean().nullish().catch(null),
})
type PageInfo = z.infer<typeof pageInfo>

type Page<Item> = { page: { items: Item[]; leftOut: unknown[] }; info: PageInfo }

function readPage<Item>(
  { field, item }: List<Item>,
  json: unknown,
  notes: ReadNotes,
): Page<Item> | undefined {
  const body = z.looseObject({ [field]: z.array(z.unknown()) }).safeParse(json).data
  if (!body) return undefined
  const leftOut: unknown[] = []
  const items = readItems(item, body[field], {
    ...notes,
    leaveOut(one, name) {
      leftOut.push(one)
      notes.leaveOut(one, name)
    },
  })
  const info = pageInfo.safeParse(body.pageInfo).data ?? {}
  return { page: { items, leftOut }, info }
}

/** Where Woovi says nothing of an end, a page that brings nothing new is one. */
function goesOn({ totalCount, hasNextPage }: PageInfo, { skip, isNews }: { skip: number; isNews: boolean }) {
  if (typeof totalCount === 'number') return skip < totalCount || hasNextPage === true
  return hasNextPage ?? isNews
}
