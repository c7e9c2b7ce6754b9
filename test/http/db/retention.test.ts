import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pruneTable } from '../../../src/db/repositories/pruning.ts'
import { PRUNED_TABLES, RETENTION, type TableName, type TableRetention } from '../../../src/db/retention.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createFullAccount } from '../support/full-account.ts'

/** The data of docs/retention.md is that of the schema, and maintenance deletes by it. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<Row[]>(text, values)

/** Columns of each table, without partitions and the table of migrations. */
async function readColumns(): Promise<Map<string, string[]>> {
  const rows = await sql<{ table: string; columns: string[] }>(
    `select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not like 'mikro%' group by 1`,
  )
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

test('every table is in it, and nothing else', async () => {
  expect(Object.keys(RETENTION).sort()).toEqual([...(await readColumns()).keys()].sort())
})

test('every column that it names exists', async () => {
  const columns = await readColumns()
  const unknown = Object.entries(RETENTION).flatMap(
    ([table, { personal = [], kept }]: [string, TableRetention]) =>
      [...personal, ...('after' in kept ? [kept.after] : [])]
        .filter(column => !columns.get(table)?.includes(column))
        .map(column => `${table}.${column}`),
  )
  expect(unknown).toEqual([])
})

/** Columns whose names are those of personal data, and which have none. */
const NOT_PERSONAL = [
  'movement.entry_name',
  'transfer_batch.name',
  'limit_usage.name',
  'unexplained_answer.name',
  'token.allowed_addresses',
  'charge.is_sender_verified',
  'key_lookup.document_match',
  'key_lookup.name_match',
]

test('a column with a name, a document, an address, a key or a text of others is listed as personal', async () => {
  const looksPersonal =
    /(^|_)(name|document|email|sender|receiver|debtor|beneficiary|body|address|addresses|analysis)(_|$)|^(pix_key|key)$/
  const found = [...(await readColumns())].flatMap(([table, columns]) => {
    const { personal = [] }: TableRetention = RETENTION[table as TableName]
    return columns
      .filter(column => looksPersonal.test(column) && !personal.includes(column))
      .map(column => `${table}.${column}`)
  })
  expect(found.filter(column => !NOT_PERSONAL.includes(column))).toEqual([])
})

describe('maintenance', () => {
  test('deletes what is older than its table keeps it, in batches, and nothing younger', async () => {
    const { account, user } = await createFullAccount(fixture)
    await sql(
      `insert into dashboard_session (hash, user_uuid, password_digest, csrf, expires_at)
       select sha256(n::text::bytea), ?, sha256('p'::bytea), 'c', now() - n * interval '10 hours' from generate_series(1, 4) n`,
      [user],
    )
    const invite = (email: string, expired: string) =>
      sql(
        `insert into user_invitation (uuid, account_uuid, email, role, token_hash, created_at, expires_at)
         values (gen_random_uuid(), ?, ?, 'viewer', sha256(?::bytea), now() - interval '1 year', now() - ?::interval)`,
        [account, email, email, expired],
      )
    await invite('old@example.com', '31 days')
    await invite('young@example.com', '29 days')
    const prune = (table: TableName) => pruneTable(fixture.orm.em.fork(), table, 2)
    expect([await prune('dashboard_session'), await prune('dashboard_session')]).toEqual([2, 0])
    expect(await prune('user_invitation')).toBe(1)
    const left = await sql<{ email: string }>(
      `select email from user_invitation where account_uuid = ? and expires_at < now()`,
      [account],
    )
    expect(left.map(({ email }) => email)).toEqual(['young@example.com'])
  })

  test('prepares a statement for every table that it prunes', async () => {
    for (const table of PRUNED_TABLES.keys())
      expect(await pruneTable(fixture.orm.em.fork(), table, 1)).toBeLessThanOrEqual(1)
  })
})
