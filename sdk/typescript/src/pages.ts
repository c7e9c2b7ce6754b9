import type { CallOptions, CursorQuery, OperationId, Query } from './call.ts'
import type { CursorPageMeta, PageMeta } from './openapi/types.ts'

/** The largest page of the API. */
const PER_PAGE = 100

/** A page of a list; `meta` has its place in the list. */
export type Page<Item> = { data: Item[]; meta: PageMeta }

/** A page that was read by cursor; `meta.next_cursor` is the cursor of the next one, null on the last. */
export type CursorPage<Item> = { data: Item[]; meta: CursorPageMeta }

/** Reads a page of a list: by its number, or by cursor where the query has one, empty for the first page. */
export type List<Id extends OperationId, Item, Owner extends string[] = []> = {
  (...args: [...Owner, query: CursorQuery<Id>, options?: CallOptions]): Promise<CursorPage<Item>>
  (...args: [...Owner, query?: Query<Id>, options?: CallOptions]): Promise<Page<Item>>
}

/** Gives a function that reads a page the types of a list. */
export function defineList<Id extends OperationId, Item, Owner extends string[] = []>(
  readPage: (...args: [...Owner, query?: object, options?: CallOptions]) => Promise<Page<Item>>,
): List<Id, Item, Owner> {
  return readPage
}

/** Reads a list page after page, by cursor, while its items are consumed. Items that are added meanwhile move no other. */
export async function* iterateList<Item>(
  filters: object | undefined,
  readPage: (query: object) => Promise<CursorPage<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let query: object | undefined = { per_page: PER_PAGE, cursor: '', ...filters }
  while (query) {
    const { data, meta }: CursorPage<Item> = await readPage(query)
    yield* data
    query = meta.next_cursor ? { ...query, cursor: meta.next_cursor } : undefined
  }
}
