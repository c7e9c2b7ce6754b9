import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { type AnswerNotes, parseItems } from '../adapter/answer-parsing.ts'
import type { EfiCall } from './answers.ts'
import type { EfiClient } from './client.ts'

export type EfiList<Row, Item = Row> = {
  call: EfiCall
  path: string
  filter?: Record<string, string>
  /** The field that the rows are listed under. */
  field: string
  row: z.ZodType<Row>
  /** What tells one row from another. */
  keyOf: (row: Row) => string
  /** What is made of a row. */
  itemOf: (row: Row, notes: AnswerNotes) => Item
}

/** ISO 8601 UTC, both ends included. */
export type EfiListPeriod = { from: string; to: string }

/** `leftOut`: the items of the list that could not be read, as they came. */
export type EfiListResult<Item> = { kind: 'found'; items: Item[]; unreadableItems: unknown[] }

const PAGE_SIZE = 100
const MAX_PAGES = 1000

/**
 * Efí's lists, read to their end by what came. A page may hold fewer items than it was asked for: the position in the list
 * is the number of items that came, and the next pages are asked for in the size that came. The list ends with an empty
 * page, with a page that brings nothing new, or at the total that Efí tells. An item that is listed twice counts once, as
 * it was told last.
 */
export function createEfiPagination(client: EfiClient) {
  async function readAllPages<Row, Item>(
    list: EfiList<Row, Item>,
    period: EfiListPeriod,
  ): Promise<EfiListResult<Item> | NoAnswerResult> {
    const items = new Map<string, Item>()
    const leftOut = new Map<string, unknown>()
    let position = 0
    let size = PAGE_SIZE
    for (let request = 0; request < MAX_PAGES; request++) {
      const page = Math.floor(position / size)
      const query = new URLSearchParams({
        inicio: period.from,
        fim: period.to,
        ...list.filter,
        'paginacao.paginaAtual': String(page),
        'paginacao.itensPorPagina': String(size),
      })
      const call = { call: list.call, reference: null, period, method: 'GET' } as const
      const outcome = await client.lookUpExisting({ ...call, path: `${list.path}?${query}` }, (json, notes) =>
        readEfiPage(list, json, notes),
      )
      if (outcome.kind === 'no_answer') return outcome
      const { listed, odd, total } = outcome
      const known = items.size + leftOut.size
      for (const [key, item] of listed) items.set(key, item)
      for (const row of odd) leftOut.set(JSON.stringify(row), row)

      const came = listed.length + odd.length
      position = page * size + came
      if (items.size + leftOut.size === known || position === total)
        return { kind: 'found', items: [...items.values()], unreadableItems: [...leftOut.values()] }
      if (came < size) size = came
    }
    return { kind: 'no_answer', code: 'too_many_pages', message: 'The list is longer than it may be' }
  }
  return { readAllPages }
}

type EfiPage<Item> = { listed: [key: string, item: Item][]; odd: unknown[]; total: number | null }

const pagingSchema = z.object({
  parametros: z.object({
    paginacao: z.object({ quantidadeTotalDeItens: z.coerce.number().int().min(0).nullish().catch(null) }),
  }),
})

/** A page says how many items there are in all; Efí also documents sent PIX as a bare list. */
function readEfiPage<Row, Item>(
  { field, row: shape, keyOf, itemOf }: EfiList<Row, Item>,
  json: unknown,
  notes: AnswerNotes,
): EfiPage<Item> | undefined {
  const rows: unknown = Array.isArray(json) ? json : (json as Record<string, unknown> | null)?.[field]
  if (!Array.isArray(rows)) return undefined
  const odd: unknown[] = []
  const readable = parseItems(shape, rows, {
    ...notes,
    noteUnreadableItem(row, name) {
      odd.push(row)
      notes.noteUnreadableItem(row, name)
    },
  })
  const { data } = pagingSchema.safeParse(json)
  const listed = readable.map((row): [string, Item] => [keyOf(row), itemOf(row, notes)])
  return { listed, odd, total: data?.parametros.paginacao.quantidadeTotalDeItens ?? null }
}
