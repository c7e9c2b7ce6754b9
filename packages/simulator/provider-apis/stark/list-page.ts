import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import * as errors from './errors.ts'
import { parseStarkBody, type StarkListQuery, starkListQuery } from './schemas.ts'

/** What lists show and filter by: every object has its id and the time of its creation, ISO 8601 UTC. */
type StarkListItem = { id: string; createdAt: string; updatedAt?: string; tags?: string[]; status?: string }

type StarkListOptions<Item extends StarkListItem> = {
  /** Field of the answer that contains the items. */
  field: string
  /** Lists every item, oldest first. */
  list(): Item[]
  /** Applies the filters that only this list has. */
  matches?(item: Item, query: StarkListQuery): boolean
  present(item: Item): object
}

/** Builds a page of a list and the cursor of the next, null after the last. */
export function buildStarkListPage<Item extends StarkListItem>(
  call: SimulatedCall,
  { field, list, matches = () => true, present }: StarkListOptions<Item>,
): SimulatedResponse {
  const parsed = parseStarkBody(starkListQuery, Object.fromEntries(call.query))
  if ('refusal' in parsed) return parsed.refusal
  const query = parsed.value
  const items = sortItems(list(), query.sort).filter(
    item => matchesQuery(item, query) && matches(item, query),
  )
  const { pageSize, unlistedItem } = call.view
  const start = findStart(items, query.cursor)
  if (start === null) return errors.unknownCursor()
  const end = start + Math.min(query.limit, pageSize ?? query.limit)
  const page = items.slice(start, end).map(present)
  // The item is added to whichever page is requested, so that the caller certainly receives it.
  if (unlistedItem) page.push(unlistedItem)
  const cursor = end < items.length ? encodeCursor(items[end - 1]!) : null
  return { status: 200, body: { cursor, [field]: page } }
}

type StarkLogOptions<Log> = {
  /** Name of what the logs are of, as errors have it. */
  entity: string
  /** Filter of the list by the objects that the logs are of. */
  filter: 'depositIds' | 'invoiceIds' | 'transferIds' | 'subscriptionIds' | 'requestIds'
  /** Lists every log of the account, oldest first. */
  list(call: SimulatedCall): Log[]
  present(log: Log): object
}

/** Creates the handlers of the logs of one kind of object. */
export function createStarkLogHandlers<Log extends StarkListItem & { type: string; objectId: string }>({
  entity,
  filter,
  list,
  present,
}: StarkLogOptions<Log>): Record<'listLogs' | 'showLog', (call: SimulatedCall) => SimulatedResponse> {
  return {
    listLogs: call =>
      buildStarkListPage(call, {
        field: 'logs',
        list: () => list(call),
        matches: ({ type, objectId }, query) =>
          (query.types?.includes(type) ?? true) && (query[filter]?.includes(objectId) ?? true),
        present,
      }),
    showLog: call => {
      const log = list(call).find(({ id }) => id === call.params.id)
      return log ? { status: 200, body: { log: present(log) } } : errors.starkNotFound(`${entity}Log`)
    },
  }
}

function sortItems<Item extends StarkListItem>(items: Item[], sort: StarkListQuery['sort']): Item[] {
  const sorted = sort.endsWith('updated')
    ? items.toSorted((a, b) => readUpdatedAt(a).localeCompare(readUpdatedAt(b)))
    : items
  return sort.startsWith('-') ? sorted.toReversed() : sorted
}

function readUpdatedAt({ createdAt, updatedAt }: StarkListItem): string {
  return updatedAt ?? createdAt
}

function matchesQuery(
  item: StarkListItem,
  { after, before, ids, tags: requestedTags, status: requestedStatus }: StarkListQuery,
): boolean {
  const { id, createdAt } = item
  const isDay = (text: string) => !text.includes('T')
  const from = after && new Date(after).toISOString()
  const to = before && new Date(isDay(before) ? `${before}T23:59:59.999Z` : before).toISOString()
  return (
    (!from || createdAt >= from) &&
    (!to || createdAt <= to) &&
    (!ids || ids.includes(id)) &&
    (!requestedTags || requestedTags.every(tag => item.tags?.includes(tag.toLowerCase()))) &&
    (!requestedStatus || item.status === requestedStatus)
  )
}

/** Reads the first tag that a list is filtered by, as stored texts have it in JSON; '' without a filter. */
export function readFirstTag({ query }: SimulatedCall): string {
  return JSON.stringify(query.get('tags')?.split(',')[0]?.toLowerCase() ?? '').slice(1, -1)
}

/** Finds where the page of a cursor starts; null for one that this list did not return. */
function findStart(items: StarkListItem[], cursor: string | undefined): number | null {
  if (!cursor) return 0
  const id = Buffer.from(cursor, 'base64url').toString()
  const index = items.findIndex(item => item.id === id)
  return index < 0 ? null : index + 1
}

function encodeCursor({ id }: StarkListItem): string {
  return Buffer.from(id).toString('base64url')
}
