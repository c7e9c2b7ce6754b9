import type { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER, type AnswerNotes, type ParsedPage, parsePage } from './answer-parsing.ts'
import type { createProviderCalls, ProviderCall } from './provider-calls.ts'

/** Period of a list, both ends included, as ISO 8601 UTC. */
export type ListPeriod = { from: string; to: string }

/** Requests that are left for one or several lists. */
export type RequestBudget = { requests: number }

export type ListResult<Item> = { kind: 'found' } & ParsedPage<Item>

/** A list of a provider API. An unreadable row is left out and recorded; of a row that is listed twice the last version counts. */
export type ProviderList<Name extends string, Row, Item = Row> = {
  call: Name
  path: string
  filter?: Record<string, string>
  /** Our id of the subject of the list, if it has one. */
  reference?: string
  /** Field of the answer that contains the rows. */
  field: string
  row: z.ZodType<Row>
  /** Identifies the item of a row: rows with one key are its versions. */
  keyOf: (row: Row) => string
  /** Converts a row to an item of the list; `notes` gets what to record of it. */
  toItem: (row: Row, notes: AnswerNotes) => Item
  /** A documented absence means that the list is empty. */
  isEmptyIfNotFound?: true
}

/** What a page contained, by which the position of the next one is computed; `total`: of the list, if it is reported. */
type PageFacts = {
  receivedCount: number
  hasNewItems: boolean
  total: number | null
  hasNextPage: boolean | null
  /** What the answer names to request the next page by; null where it names none. */
  cursor: string | null
  /** Whether the list has a period, so that it can be read in halves. */
  hasListPeriod: boolean
}

/** How the lists of one provider API are paged. */
export type Paging<Position> = {
  /** Requests for one list, with all parts of its period. */
  maxRequests: number
  firstPosition: Position
  /** Builds the parameters of the request of a page. */
  buildQuery(position: Position, period?: ListPeriod): Record<string, string>
  /** Gets the rows of an answer, and what it reports of the list; undefined if it is not a page. */
  readPage(
    json: unknown,
    field: string,
  ): ({ rows: unknown[] } & Partial<Pick<PageFacts, 'total' | 'hasNextPage' | 'cursor'>>) | undefined
  /** Computes the next position; `too_long`: the list must be read in halves of its period; `endless`: it repeats itself. */
  getNextPosition(position: Position, page: PageFacts): Position | 'end' | 'too_long' | 'endless'
}

type KeyedItem<Item> = { key: string; item: Item }

/**
 * Creates the reader of a provider API's lists, both ends of their period included. A list that is too long for one
 * period is read in halves of it; one that does not end within `maxRequests` is `too_many_pages`.
 */
export function createListReader<Name extends string, Position extends object>(
  client: Pick<ReturnType<typeof createProviderCalls<Name>>, 'lookUp'>,
  { maxRequests, firstPosition, buildQuery, readPage, getNextPosition }: Paging<Position>,
) {
  const tooManyPages: NoAnswerResult = {
    kind: 'no_answer',
    code: TOO_MANY_PAGES,
    message: `The list does not end within ${maxRequests} requests`,
  }

  /** Reads a whole list; `budget` limits the requests of several lists together. */
  return async function readAllPages<Row, Item>(
    list: ProviderList<Name, Row, Item>,
    period?: ListPeriod,
    budget: RequestBudget = { requests: maxRequests },
  ): Promise<ListResult<Item> | NoAnswerResult> {
    const outcome = await readPages(list, budget, period)
    return outcome.kind === 'found' ? { ...outcome, items: outcome.items.map(({ item }) => item) } : outcome
  }

  async function readPages<Row, Item>(
    list: ProviderList<Name, Row, Item>,
    budget: RequestBudget,
    period?: ListPeriod,
  ): Promise<ListResult<KeyedItem<Item>> | NoAnswerResult> {
    const collector = createListCollector<Item>()
    let position = firstPosition
    for (;;) {
      if (budget.requests === 0) return tooManyPages
      budget.requests -= 1
      const outcome = await client.lookUp(
        buildPageCall(list, position, period),
        ANY_ANSWER,
        (json, notes) => {
          const answer = readPage(json, list.field)
          if (!answer) return undefined
          const { items, unreadableItems } = parsePage(list.row, answer.rows, notes)
          const keyedItems = items.map(row => ({ key: list.keyOf(row), item: list.toItem(row, notes) }))
          return { answer, page: { items: keyedItems, unreadableItems } }
        },
      )
      if (outcome.kind === 'not_found')
        return list.isEmptyIfNotFound ? collector.getList() : LIST_NOT_FOUND_RESULT
      if (outcome.kind === 'no_answer') return outcome
      const { answer, page } = outcome
      const nextPosition = getNextPosition(position, {
        receivedCount: page.items.length + page.unreadableItems.length,
        hasNewItems: collector.addPage(page),
        total: answer.total ?? null,
        hasNextPage: answer.hasNextPage ?? null,
        cursor: answer.cursor ?? null,
        hasListPeriod: period !== undefined,
      })
      if (nextPosition === 'end') return collector.getList()
      if (nextPosition === 'too_long' && period) return readHalves(list, budget, period)
      if (nextPosition === 'too_long' || nextPosition === 'endless') return tooManyPages
      position = nextPosition
    }
  }

  /** Reads a list in two halves of its period. Both include the instant between them; an item in both counts once. */
  async function readHalves<Row, Item>(
    list: ProviderList<Name, Row, Item>,
    budget: RequestBudget,
    { from, to }: ListPeriod,
  ): Promise<ListResult<KeyedItem<Item>> | NoAnswerResult> {
    const [start, end] = [Date.parse(from), Date.parse(to)]
    if (end - start < 2) return tooManyPages
    const middle = new Date(Math.floor((start + end) / 2)).toISOString()
    const collector = createListCollector<Item>()
    for (const half of [
      { from, to: middle },
      { from: middle, to },
    ]) {
      const outcome = await readPages(list, budget, half)
      if (outcome.kind === 'no_answer') return outcome
      collector.addPage(outcome)
    }
    return collector.getList()
  }

  function buildPageCall(
    {
      call,
      path,
      filter,
      reference,
    }: Pick<ProviderList<Name, never>, 'call' | 'path' | 'filter' | 'reference'>,
    position: Position,
    period?: ListPeriod,
  ): ProviderCall<Name> {
    const query = new URLSearchParams({ ...filter, ...buildQuery(position, period) })
    return { call, reference, path: `${path}?${query}`, ...(period && { period }) }
  }
}

/** Code of a list that has not ended within the allowed requests. */
export const TOO_MANY_PAGES = 'too_many_pages'

/** Result of a list whose absence does not mean that it is empty. */
const LIST_NOT_FOUND_RESULT: NoAnswerResult = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'The provider did not find the list',
}

/** Collects the pages of a list. Of an item that is listed twice, the last version counts. */
function createListCollector<Item>() {
  const items = new Map<string, KeyedItem<Item>>()
  const unreadableItems = new Map<string, unknown>()
  const count = () => items.size + unreadableItems.size
  return {
    /** Adds a page; returns whether it has an item that no earlier page had. */
    addPage(page: ParsedPage<KeyedItem<Item>>): boolean {
      const countBefore = count()
      for (const item of page.items) items.set(item.key, item)
      for (const item of page.unreadableItems) unreadableItems.set(JSON.stringify(item), item)
      return count() > countBefore
    },
    getList: () => ({
      kind: 'found' as const,
      items: [...items.values()],
      unreadableItems: [...unreadableItems.values()],
    }),
  }
}
