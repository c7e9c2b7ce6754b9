import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

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
