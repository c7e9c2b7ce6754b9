import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import {
  ANY_ANSWER,
  type AnswerNotes,
  createListCollector,
  type ParsedPage,
  parsePage,
} from '../adapter/answer-parsing.ts'
import {
  buildTooManyPages,
  type ListPeriod,
  type ListResult,
  type RequestBudget,
  readHalves,
} from '../adapter/list-halves.ts'
import type { createProviderCalls } from '../adapter/provider-calls.ts'
import type { EfiCall } from './answers.ts'

export type EfiList<Row, Item = Row> = {
  call: EfiCall
  path: string
  filter?: Record<string, string>
  /** Field of the answer that contains the rows. */
  field: string
  row: z.ZodType<Row>
  /** A documented absence means that the list is empty. */
  isEmptyIfNotFound?: true
  keyOf: (row: Row) => string
  itemOf: (row: Row, notes: AnswerNotes) => Item
}

const PAGE_SIZE = 100
/** Pages of one period. A longer list is read in halves of its period. */
const MAX_PAGES = 1_000
/** Requests for one list, with all parts of its period. */
const MAX_REQUESTS = 10_000

const listNotFound = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'Efí did not find the list',
} as const
const tooManyPages = buildTooManyPages(MAX_REQUESTS)

/**
 * Creates the reader of Efí's lists of a period, both ends included. A page may contain fewer items than requested: the
 * position is then the number of received items, and later pages are requested in the received size. A list ends with a
 * page without new items, or at the total that Efí reports. Of an item that is listed twice, the last version counts.
 */
export function createEfiListReader(client: Pick<ReturnType<typeof createProviderCalls<EfiCall>>, 'lookUp'>) {
  return async function readAllPages<Row, Item>(
    list: EfiList<Row, Item>,
    period: ListPeriod,
  ): Promise<ListResult<Item> | NoAnswerResult> {
    const outcome = await readPeriod(list, period, { requests: MAX_REQUESTS })
    return outcome.kind === 'found' ? { ...outcome, items: outcome.items.map(({ item }) => item) } : outcome
  }

  async function readPeriod<Row, Item>(
    list: EfiList<Row, Item>,
    period: ListPeriod,
    budget: RequestBudget,
  ): Promise<ListResult<KeyedItem<Item>> | NoAnswerResult> {
    const collector = createListCollector<KeyedItem<Item>>(getKey)
    let position = 0
    let size = PAGE_SIZE
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      if (budget.requests === 0) return tooManyPages
      budget.requests -= 1
      const page = Math.floor(position / size)
      const query = new URLSearchParams({
        inicio: period.from,
        fim: period.to,
        ...list.filter,
        'paginacao.paginaAtual': String(page),
        'paginacao.itensPorPagina': String(size),
      })
      const request = { call: list.call, period, path: `${list.path}?${query}` }
      const outcome = await client.lookUp(request, ANY_ANSWER, (json, notes) =>
        readEfiPage(list, json, notes),
      )
      if (outcome.kind === 'not_found') return list.isEmptyIfNotFound ? collector.getList() : listNotFound
      if (outcome.kind === 'no_answer') return outcome
      const hasNewItems = collector.addPage(outcome)
      const received = outcome.items.length + outcome.unreadableItems.length
      position = page * size + received
      if (!hasNewItems || position === outcome.total) return collector.getList()
      if (received < size) size = received
      if (pages === 0 && (outcome.total ?? 0) > MAX_PAGES * size) break
    }
    return readHalves(period, {
      keyOf: getKey,
      read: half => readPeriod(list, half, budget),
      tooManyPages,
    })
  }
}

type KeyedItem<Item> = { key: string; item: Item }
const getKey = ({ key }: KeyedItem<unknown>) => key

const pagingSchema = z.object({
  parametros: z.object({
    paginacao: z.object({ quantidadeTotalDeItens: z.coerce.number().int().min(0).nullish().catch(null) }),
  }),
})

/** Reads one page and, if it has it, the list's total. Efí also documents sent PIX as a list without an envelope. */
function readEfiPage<Row, Item>(
  { field, row: shape, keyOf, itemOf }: EfiList<Row, Item>,
  json: unknown,
  notes: AnswerNotes,
): (ParsedPage<KeyedItem<Item>> & { total: number | null }) | undefined {
  const rows: unknown = Array.isArray(json) ? json : (json as Record<string, unknown> | null)?.[field]
  if (!Array.isArray(rows)) return undefined
  const page = parsePage(shape, rows, notes)
  const { data } = pagingSchema.safeParse(json)
  const items = page.items.map(row => ({ key: keyOf(row), item: itemOf(row, notes) }))
  return { ...page, items, total: data?.parametros.paginacao.quantidadeTotalDeItens ?? null }
}
