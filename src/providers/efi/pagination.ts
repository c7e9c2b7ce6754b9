import { z } from 'zod'
import { optionalField } from '../adapter/fields.ts'
import type { Paging } from '../adapter/list-reader.ts'

const PAGE_SIZE = 100
/** Pages of one period. A longer list is read in halves of its period. */
const MAX_PAGES = 1_000

/**
 * Pages Efí's lists. A page may contain fewer rows than requested: the position is then the number of received rows, and
 * later pages are requested in the received size. A list ends with a page without new rows, or at the total that Efí
 * reports. Efí also documents sent PIX as a list without an envelope.
 */
export const efiPaging: Paging<{ page: number; size: number; pagesRead: number }> = {
  maxRequests: 10_000,
  firstPosition: { page: 0, size: PAGE_SIZE, pagesRead: 0 },
  buildQuery: ({ page, size }, period) => ({
    ...(period && { inicio: period.from, fim: period.to }),
    'paginacao.paginaAtual': String(page),
    'paginacao.itensPorPagina': String(size),
  }),
  readPage(json, field) {
    const rows: unknown = Array.isArray(json) ? json : (json as Record<string, unknown> | null)?.[field]
    if (!Array.isArray(rows)) return undefined
    const total = pagingSchema.safeParse(json).data?.parametros.paginacao.quantidadeTotalDeItens
    return { rows, total: total ?? null }
  },
  getNextPosition({ page, size, pagesRead }, { receivedCount, hasNewItems, total }) {
    const readCount = page * size + receivedCount
    if (!hasNewItems || readCount === total) return 'end'
    const nextSize = Math.min(size, receivedCount)
    const isTooLong = pagesRead === 0 && (total ?? 0) > MAX_PAGES * nextSize
    if (isTooLong || pagesRead + 1 === MAX_PAGES) return 'too_long'
    return { page: Math.floor(readCount / nextSize), size: nextSize, pagesRead: pagesRead + 1 }
  },
}

const pagingSchema = z.object({
  parametros: z.object({
    paginacao: z.object({ quantidadeTotalDeItens: optionalField(z.coerce.number().int().min(0)) }),
  }),
})
