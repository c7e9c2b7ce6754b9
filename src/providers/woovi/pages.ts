import { z } from 'zod'
import type { NoAnswer } from '../../domain/provider.ts'
import type { WooviClient } from './client.ts'

type List<Item> = {
  /** The field the items are listed under. */
  field: string
  item: z.ZodType<Item>
  fits?: (item: Item) => boolean
}
type Items<Item> = { kind: 'found'; items: Item[] }

const PAGE_SIZE = 100
const MOST_PAGES = 1000
const pageInfo = z.object({ hasNextPage: z.boolean().nullish() }).nullish()

/** Woovi's lists, read to their end. `path` carries the filter; skip and limit are added. */
export function pagesOf(client: WooviClient) {
  async function everyPage<Item>(
    path: string,
    { field, item, fits = () => true }: List<Item>,
  ): Promise<Items<Item> | NoAnswer> {
    const page = z.object({ [field]: z.array(item), pageInfo })
    const items: Item[] = []
    for (let skip = 0; skip < PAGE_SIZE * MOST_PAGES; skip += PAGE_SIZE) {
      const request = `${path}${path.includes('?') ? '&' : '?'}skip=${skip}&limit=${PAGE_SIZE}`
      const outcome = await client.lookUpOwn({ method: 'GET', path: request }, json => {
        const read = page.safeParse(json).data
        if (!read) return undefined
        const listed = read[field] as Item[]
        const info = read.pageInfo as z.infer<typeof pageInfo>
        return { listed, goesOn: info?.hasNextPage ?? listed.length === PAGE_SIZE }
      })
      if (outcome.kind === 'no_answer') return outcome
      items.push(...outcome.listed.filter(fits))
      if (!outcome.goesOn) return { kind: 'found', items }
    }
    return { kind: 'no_answer', code: 'too_many_pages', message: 'The list is longer than it may be' }
  }
  return { everyPage }
}
