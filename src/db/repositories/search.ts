import { SEARCHED_NOUNS, type SearchedNoun } from '../../domain/shared/nouns.ts'
import { MIN_PREFIX_LENGTH, MIN_TAIL_LENGTH } from '../../domain/shared/search-text.ts'
import type { EntityManager } from '../client/orm.ts'
import { joinConditions, type OptionalSqlCondition, type SqlCondition } from '../sql-conditions.ts'

/** What a search text may mean. An entry is found by all words of one list, or by the amount. */
export type SearchTerms = {
  /** Lists of folded words (`foldSearchText`). */
  wordLists: string[][]
  cents?: number | undefined
}

/** Where is searched: in one account, or in all; `conditions` on the columns of `search_entry` limit that further. */
export type SearchScope = { accountUuid: string | null; conditions: OptionalSqlCondition[] }

export type SearchHit = { noun: SearchedNoun; uuid: string; accountUuid: string }

/** Nouns that are searched, and the most hits of one. */
type SearchReach = { nouns: readonly SearchedNoun[]; maxHits: number }

/** A search over everything is for one thing. */
const EVERY_NOUN: SearchReach = { nouns: SEARCHED_NOUNS, maxHits: 20 }
/** Newest entries of a noun that are read for words that very many have. */
const MAX_NEWEST = 2_000
/** Most entries of a noun that are read by the index of words. */
const MAX_MATCHES = 1_000

/**
 * Finds operations by what a search text may mean, the newest of each noun. First among the newest entries of the scope, where
 * the words are that very many entries have; the index of words then answers for the nouns of which these were too few, and
 * reads a limited number of entries. So a search costs the same however many entries a word has.
 */
export async function findOperations(
  em: EntityManager,
  scope: SearchScope,
  terms: SearchTerms,
  { nouns, maxHits } = EVERY_NOUN,
): Promise<SearchHit[]> {
  if (terms.wordLists.length === 0 && terms.cents === undefined) return []
  const newest = await selectHits(
    em,
    nouns.map(noun => buildNewestQuery(scope, terms, { noun, maxHits })),
  )
  const missing = nouns.filter(noun => newest.filter(hit => hit.noun === noun).length < maxHits)
  const matching = await selectHits(
    em,
    missing.flatMap(noun => buildMatchingQuery(scope, terms, { noun, maxHits })),
  )
  return mergeHits(newest, matching, { nouns, maxHits })
}

/** Merges what both ways have found of each noun. The index finds all, but of more than it reads perhaps not the newest. */
function mergeHits(newest: SearchHit[], matching: SearchHit[], { nouns, maxHits }: SearchReach): SearchHit[] {
  return nouns.flatMap(noun => {
    const hits = [...newest, ...matching].filter(hit => hit.noun === noun)
    return [...new Map(hits.map(hit => [hit.uuid, hit])).values()].slice(0, maxHits)
  })
}

/** The noun of a query, and the most hits that it finds. */
type SearchedPart = { noun: SearchedNoun; maxHits: number }

const COLUMNS = 'noun, uuid, account_uuid, created_at'
const NEWEST_FIRST = 'order by created_at desc, uuid desc'

async function selectHits(em: EntityManager, queries: SqlCondition[]): Promise<SearchHit[]> {
  if (queries.length === 0) return []
  return em.execute<SearchHit[]>(
    `select noun, uuid, account_uuid as "accountUuid"
     from (${queries.map(({ sql }) => `(${sql})`).join(' union all ')}) found ${NEWEST_FIRST}`,
    queries.flatMap(({ values }) => values),
  )
}

/** Builds the query of the matches among the newest entries of a noun. */
function buildNewestQuery(
  { accountUuid, conditions }: SearchScope,
  terms: SearchTerms,
  { noun, maxHits }: SearchedPart,
): SqlCondition {
  const scope = joinConditions(
    ['noun = ?', noun],
    accountUuid !== null && ['account_uuid = ?', accountUuid],
    ...conditions,
  )
  return {
    sql: `select ${COLUMNS} from (select ${COLUMNS}, words from search_entry where ${scope.sql} ${NEWEST_FIRST} limit ${MAX_NEWEST}) newest
      where words @@ ?::tsquery ${NEWEST_FIRST} limit ${maxHits}`,
    values: [...scope.values, buildQueryText(terms, { isIndexed: false })],
  }
}

/** Builds the query of the matches that the index of words finds; none where every word is too short for it. */
function buildMatchingQuery(
  { accountUuid, conditions }: SearchScope,
  terms: SearchTerms,
  { noun, maxHits }: SearchedPart,
): SqlCondition[] {
  const indexed = buildQueryText(terms, { isIndexed: true })
  if (indexed === '') return []
  // The account is a word of the entry: by its column PostgreSQL would take another index, and read every entry of the account.
  const scope = accountUuid === null ? '' : `'@${accountUuid.replaceAll('-', '')}' & `
  const whole = buildQueryText(terms, { isIndexed: false })
  const { sql, values } = joinConditions(
    ['words @@ ?::tsquery', `${scope}(${indexed})`],
    // The empty tsvector keeps this from the index, which would read every word with such a short beginning.
    whole !== indexed && ["(words || '') @@ ?::tsquery", whole],
    ...conditions,
  )
  return [
    {
      // PostgreSQL plans the inner query for all of its rows, which only the index of words finds fast, and reads the limited ones.
      sql: `with matching as materialized (select ${COLUMNS} from search_entry where noun = '${noun}' and ${sql})
        select * from (select * from matching limit ${MAX_MATCHES}) read ${NEWEST_FIRST} limit ${maxHits}`,
      values,
    },
  ]
}

/**
 * Builds the tsquery of the terms. `isIndexed`: without the words that are too short for the index; empty where a list has no
 * other, which the newest entries alone are searched for.
 */
function buildQueryText({ wordLists, cents }: SearchTerms, { isIndexed }: { isIndexed: boolean }): string {
  const lists = wordLists
    .map(words => words.filter(word => !isIndexed || word.length >= MIN_PREFIX_LENGTH))
    .filter(words => words.length > 0)
  return [
    ...lists.map(words => words.map(buildWordQuery).join(' & ')),
    ...(cents === undefined ? [] : [`'$${cents}'`]),
  ]
    .map(list => `(${list})`)
    .join(' | ')
}

/** Builds the tsquery of a word: the beginning of one, or the end of an id of the rail. A folded word needs no escape. */
function buildWordQuery(word: string): string {
  const beginning = `'${word}':*`
  return word.length < MIN_TAIL_LENGTH ? beginning : `(${beginning} | '${word.slice(-MIN_TAIL_LENGTH)}')`
}
