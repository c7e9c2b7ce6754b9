import type { EntityManager } from '../client/orm.ts'
import { joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'

/** What a search text may mean; each part is absent where the text cannot be that. */
export type SearchTerms = {
  /** The whole text: a reference, or an id of the rail. */
  text: string
  /** First and last UUID that begin with the text. */
  uuids?: { first: string; last: string } | undefined
  /** Normalised PIX key. */
  key?: string | undefined
  document?: string | undefined
  cents?: number | undefined
  /** Beginning of a name. */
  name?: string | undefined
}

export type SearchHit = { kind: 'charge' | 'transfer' | 'dispute'; uuid: string }

/** Most hits of one kind and meaning: a search is for one thing. */
const MAX_HITS = 20

/**
 * Finds operations by what a search text may mean, newest first of each. Every meaning is a query of its own, so that
 * each is answered by its index.
 */
export async function findOperations(
  em: EntityManager,
  scope: OptionalSqlCondition[],
  { text, uuids, key, document, cents, name }: SearchTerms,
): Promise<SearchHit[]> {
  const pattern = name === undefined ? undefined : `${name.replaceAll(/[\\%_]/g, '\\$&').toLowerCase()}%`
  const byUuid: OptionalSqlCondition = uuids && ['uuid between ? and ?', uuids.first, uuids.last]
  const byCents: OptionalSqlCondition = cents !== undefined && ['value_cents = ?', cents]
  const searches = [
    ...OPERATIONS.flatMap(({ kind, party }): OperationSearch[] => {
      const movement = `type = 'EXTERNAL_TRANSFER' and ${kind}_uuid is not null`
      const byMovement = { kind, table: 'movement', uuid: `${kind}_uuid` } as const
      return [
        { kind, table: kind, condition: byUuid },
        { kind, table: kind, condition: ['external_ref = ?', text] },
        { kind, table: kind, condition: ['end_to_end = ?', text] },
        { kind, table: kind, condition: byCents },
        {
          ...byMovement,
          condition: document !== undefined && [`${movement} and ${party}->>'document' = ?`, document],
        },
        {
          ...byMovement,
          condition: pattern !== undefined && [`${movement} and lower(${party}->>'name') like ?`, pattern],
        },
      ]
    }),
    { kind: 'charge', table: 'charge', condition: ['txid = ?', text] },
    { kind: 'charge', table: 'refund', uuid: 'charge_uuid', condition: byUuid },
    { kind: 'transfer', table: 'transfer', condition: key !== undefined && ['pix_key = ?', key] },
    { kind: 'dispute', table: 'dispute', condition: byUuid },
  ] satisfies OperationSearch[]
  const parts = searches.flatMap(({ kind, condition, table, uuid = 'uuid' }: OperationSearch) => {
    if (!condition) return []
    const { sql, values } = joinConditions(...scope, condition)
    const rows = `select '${kind}' as kind, ${uuid} as uuid, created_at from ${table} where ${sql}`
    return [{ rows: `(${rows} order by created_at desc limit ${MAX_HITS})`, values }]
  })
  return em.execute<SearchHit[]>(
    `select kind, uuid from (${parts.map(({ rows }) => rows).join(' union all ')}) found
     group by kind, uuid order by max(created_at) desc limit ${3 * MAX_HITS}`,
    parts.flatMap(({ values }) => values),
  )
}

/** Operations with a party, and the column of a movement that has it. */
const OPERATIONS = [
  { kind: 'charge', party: 'sender' },
  { kind: 'transfer', party: 'receiver' },
] as const

/** One meaning of the text: the rows of a table that have it, and their column with the uuid of the operation. */
type OperationSearch = {
  kind: SearchHit['kind']
  table: 'charge' | 'transfer' | 'dispute' | 'refund' | 'movement'
  uuid?: string
  condition: OptionalSqlCondition
}
