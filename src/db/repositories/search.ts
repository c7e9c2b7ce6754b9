import type { SearchedNoun } from '../../domain/shared/nouns.ts'
import type { EntityManager } from '../client/orm.ts'
import {
  buildPrefixPattern,
  joinConditions,
  type OptionalSqlCondition,
  type SqlCondition,
} from '../sql-conditions.ts'
import { isPaidByPix } from './charges.ts'

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

export type SearchHit = { kind: SearchedNoun; uuid: string }

/** Most hits of one kind and meaning: a search is for one thing. */
const MAX_HITS = 20
/** Most rows that a meaning reads by its index. */
const MAX_MATCHES = 1_000
/** Newest rows of the account that are read where a meaning has more matches than that. */
const MAX_NEWEST = 2_000

/**
 * Finds operations by what a search text may mean, newest first of each. Every meaning is a query of its own, so that
 * each is answered by its index. Of a name, a document or an amount that very many rows have, the hits are the newest of
 * the account's newest rows and of any others: a search costs the same however many there are.
 */
export async function findOperations(
  em: EntityManager,
  scope: OptionalSqlCondition[],
  { text, uuids, key, document, cents, name }: SearchTerms,
): Promise<SearchHit[]> {
  const pattern = name === undefined ? undefined : buildPrefixPattern(name)
  const byUuid: OptionalSqlCondition = uuids && ['uuid between ? and ?', uuids.first, uuids.last]
  const byCents: OptionalSqlCondition = cents !== undefined && ['value_cents = ?', cents]
  const searches = [
    ...OPERATIONS.flatMap(({ kind, party }): OperationSearch[] => {
      const movement = `type = 'EXTERNAL_TRANSFER' and ${kind}_uuid is not null`
      const byMovement = { kind, table: 'movement', uuid: `${kind}_uuid`, isFrequent: true } as const
      return [
        { kind, table: kind, condition: byUuid },
        { kind, table: kind, condition: ['external_ref = ?', text] },
        { kind, table: kind, condition: kind === 'charge' ? isPaidByPix(text) : ['end_to_end = ?', text] },
        { kind, table: kind, isFrequent: true, condition: byCents },
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
    { kind: 'transfer', table: 'transfer', condition: key !== undefined && ['receiver_id = ?', key] },
    { kind: 'dispute', table: 'dispute', condition: byUuid },
  ] satisfies OperationSearch[]
  const parts = searches.flatMap(search => buildSearch(scope, search))
  return em.execute<SearchHit[]>(
    `select kind, uuid from (${parts.map(({ sql }) => sql).join(' union all ')}) found
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
  /** Whether very many rows may have it. */
  isFrequent?: boolean
  condition: OptionalSqlCondition
}

/** Builds the query of a meaning; none where the text cannot be that. */
function buildSearch(
  scope: OptionalSqlCondition[],
  { kind, table, condition, uuid = 'uuid', isFrequent = false }: OperationSearch,
): SqlCondition[] {
  if (!condition) return []
  const { sql, values } = joinConditions(...scope, condition)
  const newestFirst = `order by created_at desc limit ${MAX_HITS}`
  const rows = `select '${kind}' as kind, ${uuid} as uuid, created_at`
  if (!isFrequent) return [{ sql: `(${rows} from ${table} where ${sql} ${newestFirst})`, values }]
  const ofScope = joinConditions(...scope)
  return [
    {
      sql: `(with matching as materialized (${rows} from ${table} where ${sql} limit ${MAX_MATCHES})
        select * from (
          select * from matching
          union
          (${rows} from (select * from ${table} where ${ofScope.sql} order by created_at desc limit ${MAX_NEWEST}) newest
           where ${sql} and (select count(*) from matching) = ${MAX_MATCHES} ${newestFirst})
        ) found ${newestFirst})`,
      values: [...values, ...ofScope.values, ...values],
    },
  ]
}
