import type { NoAnswer } from '../../domain/provider.ts'
import type { EfiClient } from './client.ts'

/** How the pages of a list are read: the number of all of them comes with each. */
export type List<Item> = {
  path: string
  pageIn: (json: unknown) => { items: Item[]; pages: number } | undefined
}

export const PAGE_SIZE = 100
const MOST_PAGES = 1000

/** Efí's lists, read to their end; pages count from 0, as in all of the Central Bank's API. */
export function pagesOf(client: EfiClient) {
  async function everyPage<Item>(
    list: List<Item>,
    filter: Record<string, string>,
  ): Promise<{ kind: 'found'; items: Item[] } | NoAnswer> {
    const items: Item[] = []
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = new URLSearchParams({
        ...filter,
        'paginacao.paginaAtual': String(page),
        'paginacao.itensPorPagina': String(PAGE_SIZE),
      })
      const outcome = await client.lookUpOwn({ method: 'GET', path: `${list.path}?${query}` }, list.pageIn)
      if (outcome.kind === 'no_answer') return outcome
      items.push(...outcome.items)
      if (page + 1 >= outcome.pages) return { kind: 'found', items }
    }
    return { kind: 'no_answer', code: 'too_many_pages', message: 'The list is longer than it may be' }
  }
  return { everyPage }
}
