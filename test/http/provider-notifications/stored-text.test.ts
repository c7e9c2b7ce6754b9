import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

test('the text of a notification stays as its provider sent it, and PostgreSQL reads it', async () => {
  const connection = await fixture.insertConnection(await fixture.insertAccount())
  // The order of fields, spaces, a repeated field, zeros of a number and escapes: jsonb keeps none of them.
  const body = '{"valor": 10.00,\n "chave":"é\\u00e9\\u0000\\ud800", "b":1, "a":"\\/", "a":"\\"" }'
  const uuid = randomUUID()
  const em = fixture.orm.em.fork()
  const notification = {
    uuid,
    kind: 'payment',
    reference: 'r',
    endToEnd: null,
    body,
    requestId: 'q',
  } as const
  const store = () => runQuery(em, storeProviderNotifications(em, connection, [notification]))
  expect(await store()).toMatchObject([{ uuid, body }])
  expect(await store()).toMatchObject([{ uuid, body }])
  expect(await em.execute('select body from provider_notification where uuid = ?', [uuid])).toEqual([
    { body },
  ])
})
