import type { EntityManager } from '../../db/client/orm.ts'
import { readListCounter } from '../../db/repositories/list-counters.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { scopeOf } from '../authorization/scope.ts'

/** Query of a list whose total the list counters may know. Any other filter makes PostgreSQL count the rows. */
type CountableListQuery = {
  page: number
  /** Every row is a PIX; `UNDEFINED` matches none. */
  type?: 'PIX' | 'UNDEFINED' | undefined
  per_page: number
  status?: string[] | undefined
  provider_uuid?: string | undefined
  date_from?: string | undefined
  date_to?: string | undefined
}
const COUNTED_FILTERS = new Set([
  'page',
  'per_page',
  'type',
  'status',
  'provider_uuid',
  'date_from',
  'date_to',
])

/**
 * Reads the exact `total` of a list from the list counters, so that a million charges are counted as fast as a
 * thousand. Returns undefined where the filters require counting the rows.
 */
export async function readListTotal<Status extends string>(
  em: EntityManager,
  {
    token,
    query,
    noun,
    statesOf,
  }: {
    token: CallerToken
    query: CountableListQuery & { status?: Status[] | undefined }
    noun: 'charge' | 'transfer'
    statesOf: (status: Status) => string[]
  },
): Promise<number | undefined> {
  const filters = Object.entries(query).filter(([, value]) => value !== undefined)
  if (filters.some(([name]) => !COUNTED_FILTERS.has(name))) return undefined
  if (query.type === 'UNDEFINED') return 0
  const states = (query.status ?? []).flatMap(statesOf)
  if (query.status && states.length === 0) return 0 // No state has this status.
  return readListCounter(em, {
    noun,
    conditions: [
      ...scopeOf(token),
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    ],
    states,
    createdFrom: query.date_from,
    createdTo: query.date_to,
  })
}
