import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { codeReadingRoutes } from '../../../src/api/qr-codes/reading-routes.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Stored readings of PIX codes: what is kept of them, for whom, and for how long (SPEC §4). */

const PATH = '/api/v1/qr-codes/read'
const KEY = 'ana@example.com'
const CODE = buildStaticBrCode({ key: KEY, cents: 750, txid: 'BALCAO9', receiverName: 'Loja da Ana' })

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([codeReadingRoutes])
})
afterAll(() => fixture?.close())

async function readCode(payload = CODE) {
  const accountUuid = await fixture.insertAccount()
  const token = await fixture.insertToken({ accountUuid })
  const { body } = await fixture.call('POST', PATH, { token, body: { payload } })
  return { accountUuid, token, body }
}

test('a reading is shown to its account only, in its mode only', async () => {
  const { accountUuid, token, body } = await readCode()
  const show = async (other: string) =>
    (await fixture.call('GET', `${PATH}/${body.data.uuid}`, { token: other })).status
  expect(await show(token)).toBe(200)
  expect(await show(await fixture.insertToken({ accountUuid: await fixture.insertAccount() }))).toBe(404)
  expect(await show(await fixture.insertToken({ accountUuid, mode: 'live' }))).toBe(404)
})

test('no key of a code is stored in the clear, and none is logged', async () => {
  const { accountUuid } = await readCode()
  const rows = await fixture.orm.em
    .fork()
    .execute<{ row: string }[]>(
      'select to_jsonb(one)::text as row from code_reading one where account_uuid = ?',
      [accountUuid],
    )
  expect(rows).toHaveLength(1)
  expect(rows[0]!.row).not.toContain(KEY)
  expect(fixture.lines.join('')).not.toContain(KEY)
})

test('a reading is deleted after thirty days', async () => {
  const { accountUuid } = await readCode()
  const token = await fixture.insertToken({ accountUuid })
  const young = await fixture.call('POST', PATH, { token, body: { payload: CODE } })
  const em = fixture.orm.em.fork()
  await em.execute(
    `update code_reading set created_at = now() - interval '31 days' where account_uuid = ? and uuid <> ?`,
    [accountUuid, young.body.data.uuid],
  )
  await pruneEvents({ orm: fixture.orm } as never)()
  expect(await em.execute('select uuid from code_reading where account_uuid = ?', [accountUuid])).toEqual([
    { uuid: young.body.data.uuid },
  ])
})

test('PostgreSQL refuses a reading that asks for nothing', async () => {
  const { body } = await readCode()
  await expect(
    fixture.orm.em
      .fork()
      .execute('update code_reading set due_now_cents = 0 where uuid = ?', [body.data.uuid]),
  ).rejects.toThrow('code_reading_value')
})
