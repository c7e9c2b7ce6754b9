import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { findOperations, type SearchScope, type SearchTerms } from '../../../src/db/repositories/search.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/**
 * What a search reads does not grow with the entries: words that many have are found among the newest, all others by the index
 * of words, which answers for all words together.
 */

const MANY = 6_000
/** The newest of a noun, and as many matches of the index as a search reads, with room for a page of the index. */
const MOST_READ = 3_100

let fixture: ApiFixture
const account = randomUUID()
const other = randomUUID()

beforeAll(async () => {
  fixture = await openApiFixture([])
  const insert = (accountUuid: string, words: string, count: number) =>
    fixture.orm.em.fork().execute(
      `insert into search_entry (uuid, noun, account_uuid, created_at, words)
       select gen_random_uuid(), case when n % 20 = 0 then 'transfer' else 'charge' end, ?, now() - n * interval '1 minute',
         array_to_tsvector(array[${words}, '@' || replace(?, '-', '')])
       from generate_series(1, ?) n`,
      [accountUuid, accountUuid, count],
    )
  const words = `'pedido', 'p' || n, 'maria', case n when ${MANY - 1} then 'zilda' else 'silva' end, '$' || n % 7`
  await insert(account, words, MANY)
  await insert(other, words, MANY)
  await insert(other, `'moinho', 'p' || n, '$0'`, 1_500)
  await fixture.orm.em.fork().execute('analyze search_entry')
})
afterAll(() => fixture?.close())

type PlanNode = {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Searches, and returns how many hits there are, how many entries were read, and by which indexes. */
async function explainSearch(scope: SearchScope, terms: SearchTerms) {
  const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
  try {
    const hits = await findOperations(orm.em.fork(), scope, terms)
    let read = 0
    const indexes = new Set<string>()
    const visit = (node: PlanNode) => {
      if (node['Index Name']) indexes.add(node['Index Name'])
      if (node['Relation Name'] === 'search_entry')
        read = Math.max(
          read,
          (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        )
      for (const plan of node.Plans ?? []) visit(plan)
    }
    for (const statement of captured.statements.filter(text => text.includes('search_entry'))) {
      const [explained] = await fixture.orm.em
        .fork()
        .execute<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(`explain (analyze, format json) ${statement}`)
      visit(explained!['QUERY PLAN'][0]!.Plan)
    }
    return { hits, read, indexes: [...indexes].toSorted() }
  } finally {
    await close()
  }
}

const words = (...list: string[]): SearchTerms => ({ wordLists: [list] })
const ofAccount: SearchScope = { accountUuid: account, conditions: [] }
const ofAll: SearchScope = { accountUuid: null, conditions: [] }

test.each<[what: string, scope: SearchScope, terms: SearchTerms, hits: number]>([
  ['a word that all have', ofAccount, words('pedido'), 40],
  ['words that many have', ofAccount, words('maria', 'silva'), 40],
  ['a word that one old entry has', ofAccount, words('zilda'), 1],
  ['a word of many and one of an old entry', ofAccount, words('maria', 'zilda'), 1],
  ['a word that only another account has', ofAccount, words('moinho'), 0],
  ['a word that nothing has', ofAccount, words('inexistente'), 0],
  ['a short word and one of an old entry', ofAccount, words('p', 'zilda'), 1],
  ['a short word alone, among the newest', ofAccount, words('zi'), 0],
  ['an amount that many have', ofAccount, { wordLists: [], cents: 3 }, 40],
  ['a word that all of all accounts have', ofAll, words('pedido'), 40],
  ['a word that one old entry of each account has', ofAll, words('zilda'), 2],
])('a search for %s reads few entries', async (_, scope, terms, count) => {
  const { hits, read } = await explainSearch(scope, terms)
  expect(hits).toHaveLength(count)
  expect(read).toBeLessThan(MOST_READ)
})

test('an old entry is found by the index of words of its noun, and no entry of an account is read for it', async () => {
  const { read, indexes } = await explainSearch(ofAccount, words('maria', 'zilda'))
  expect(indexes).toContain('search_entry_of_charge')
  expect(read).toBeLessThanOrEqual(2_000)
})

test('hits of a noun are the newest, newest first, of one account', async () => {
  const { hits } = await explainSearch(ofAccount, words('pedido'))
  expect(new Set(hits.map(({ accountUuid }) => accountUuid))).toEqual(new Set([account]))
  const newest = await fixture.orm.em
    .fork()
    .execute<{ uuid: string }[]>(
      `select uuid from search_entry where account_uuid = ? and noun = 'transfer' order by created_at desc limit 20`,
      [account],
    )
  expect(hits.filter(({ noun }) => noun === 'transfer').map(({ uuid }) => uuid)).toEqual(
    newest.map(({ uuid }) => uuid),
  )
})

describe('conditions of a scope', () => {
  test('hold for hits among the newest and for those of the index', async () => {
    const scope: SearchScope = { accountUuid: account, conditions: [['connection_uuid = ?', randomUUID()]] }
    for (const list of [['pedido'], ['zilda']])
      expect((await explainSearch(scope, words(...list))).hits).toEqual([])
  })
})
