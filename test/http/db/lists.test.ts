import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listTransfers } from '../../../src/api/operations/transfers.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createFullAccount } from '../support/full-account.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** The columns that the cursors of lists name, and which statements of lists PostgreSQL keeps prepared. */

let fixture: ApiFixture
let token: CallerToken
beforeAll(async () => {
  fixture = await openApiFixture([])
  const { account: accountUuid } = await createFullAccount(fixture)
  token = { accountUuid, connectionUuid: null } as CallerToken
})
afterAll(() => fixture?.close())

const LISTS = {
  charge: (em: EntityManager, query: object) => listCharges(em, token, chargesQuery.parse(query)),
  transfer: (em: EntityManager, query: object) => listTransfers(em, token, transfersQuery.parse(query)),
}

test.each(['charge', 'transfer'] as const)(
  'the first page of an unfiltered %s list is one prepared statement for all sizes, other pages are none',
  async noun => {
    const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
    try {
      const list = async (query: object) => (await LISTS[noun](orm.em.fork(), query)).data
      const first = await list({ per_page: '1' })
      expect((await list({ per_page: '100' })).slice(0, 1)).toEqual(first)
      await list({ page: '2', per_page: '1' })
      await list({ status: 'PAID' })
      await list({ date_from: '2026-01-01' })
      const ofRows = captured.kept.filter(text => text.includes(`join ${noun} `))
      expect(ofRows).toHaveLength(1)
    } finally {
      await close()
    }
  },
)

test('what a cursor names in milliseconds, the column stores in milliseconds', async () => {
  // Tables with an index in which `uuid` follows `created_at`: the order of lists that cursors read.
  const columns = await fixture.orm.em.execute<{ table: string; digits: number }[]>(
    `select distinct c.table_name as table, c.datetime_precision as digits
     from pg_index i
     cross join lateral generate_series(0, i.indnkeyatts - 2) as place
     join pg_attribute at on at.attrelid = i.indrelid and at.attnum = i.indkey[place] and at.attname = 'created_at'
     join pg_attribute id on id.attrelid = i.indrelid and id.attnum = i.indkey[place + 1] and id.attname = 'uuid'
     join information_schema.columns c on c.table_name = i.indrelid::regclass::text and c.column_name = 'created_at'
     order by 1`,
  )
  const listed = [
    'charge',
    'connection',
    'delivery',
    'dispute',
    'event',
    'movement',
    'pix_key',
    'refund',
    'transfer',
  ]
  expect(columns.map(one => one.table)).toEqual(expect.arrayContaining([...listed, 'webhook']))
  expect(columns.filter(one => one.digits !== 3)).toEqual([])
})
