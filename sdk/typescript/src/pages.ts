import type { OperationId } from './call.ts'
import { OPERATIONS } from './openapi/operations.ts'

/** The largest page of the API. */
const PER_PAGE = 100

type Page<Item> = {
  data: Item[]
  /** What a page says of the next one: by its cursor, or by its number. */
  meta: { next_cursor?: string | null; current_page?: number; last_page?: number }
}

/**
 * Reads a list page after page, while its items are consumed. By cursor where the API has one, so that rows that come
 * in meanwhile move no item to another page.
 */
export async function* iterateList<Item>(
  operation: OperationId,
  filters: object | undefined,
  readPage: (query: object) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const first = OPERATIONS[operation].hasCursor ? { cursor: '' } : { page: 1 }
  let position: object | undefined = { ...first, ...filters }
  while (position) {
    const { data, meta }: Page<Item> = await readPage({ per_page: PER_PAGE, ...filters, ...position })
    yield* data
    position = findNextPosition(meta)
  }
}

function findNextPosition({ next_cursor, current_page, last_page }: Page<unknown>['meta']) {
  if (next_cursor) return { cursor: next_cursor }
  if (current_page === undefined || last_page === undefined || current_page >= last_page) return undefined
  return { page: current_page + 1 }
}
