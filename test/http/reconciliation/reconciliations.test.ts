import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { reconciliationRoutes } from '../../../src/api/reconciliations/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** What an account reads of the reconciliation with its providers. */

const PATH = '/api/v1/reconciliations'
const FOUND_AT = Date.parse('2026-11-20T12:00:00Z')

let fixture: ApiFixture
let accountUuid: string
let connection: string
let token: string

beforeAll(async () => {
  fixture = await openApiFixture([reconciliationRoutes])
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid)
  token = await fixture.insertToken({ accountUuid, mode: 'test' })
})

const sql = (text: string, values: unknown[]) => fixture.orm.em.fork().execute(text, values)
const get = (path = '', as = token) => fixture.call('GET', `${PATH}${path}`, { token: as })

type FoundDifference = { kind?: string; detail?: object; reason?: string; minute?: number; ending?: string }

/** Stores a difference; `ending` is the SQL of what has become of it. */
async function storeDifference(connectionUuid: string, one: FoundDifference = {}): Promise<string> {
  const uuid = randomUUID()
  const at = new Date(FOUND_AT + (one.minute ?? 0) * 60_000)
  await sql(
    `insert into difference (uuid, provider_account_uuid, kind, movement_type, end_to_end, detail, pending_reason, found_at, seen_at)
     select ?, provider_account_uuid, ?, 'IN', ?, ?::jsonb, ?, ?, ? from connection where uuid = ?`,
    [
      ...[uuid, one.kind ?? 'missing_here', `E${uuid.replaceAll('-', '').slice(1)}`],
      ...[
        JSON.stringify(one.detail ?? { entry: { cents: 1_234 } }),
        one.reason ?? null,
        at,
        at,
        connectionUuid,
      ],
    ],
  )
  if (one.ending) await sql(`update difference set ${one.ending} where uuid = ?`, [uuid])
  return uuid
}

test('a provider is shown with its balance beside the ledger, and the number of its open differences', async () => {
  const unchecked = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B' })
  await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
  await sql(
    `insert into balance_check (provider_account_uuid, provider_cents, ledger_cents, moving_cents, checked_at, differs_since)
     select provider_account_uuid, 9000, 10000, 500, ?, ? from connection where uuid = ?`,
    [new Date(FOUND_AT), new Date(FOUND_AT), connection],
  )
  await storeDifference(connection)
  await storeDifference(connection, { minute: 1, ending: 'settled_at = now()' })
  const at = '2026-11-20T12:00:00.000000Z'
  const checked = {
    uuid: connection,
    provider: { uuid: connection, provider: 'PROVIDER_A' },
    checked_at: at,
    provider_balance: 90,
    ledger_balance: 100,
    in_transit: 5,
    differs_since: at,
    open_differences: 1,
  }
  const nothing = {
    checked_at: null,
    provider_balance: null,
    ledger_balance: null,
    in_transit: null,
    differs_since: null,
  }
  const { body } = await get()
  expect(body.meta.total).toBe(2)
  expect(body.data).toEqual([
    {
      uuid: unchecked,
      provider: { uuid: unchecked, provider: 'PROVIDER_B' },
      ...nothing,
      open_differences: 0,
    },
    checked,
  ])
  expect((await get(`/${connection}`)).body).toEqual({ data: checked })
})

test('differences are listed newest first, with who ends them, by kind and status', async () => {
  const closing = `closed_at = now(), closed_as = 'accepted', closed_reason = 'known', closed_by = 'ana@example.com'`
  const ours = { endToEnd: 'E', cents: 900, status: 'SETTLED' }
  const uuids = [
    await storeDifference(connection, { reason: 'too_young' }),
    await storeDifference(connection, { minute: 1, kind: 'missing_there', detail: { ours } }),
    await storeDifference(connection, { minute: 2, ending: 'settled_at = now()' }),
    await storeDifference(connection, { minute: 3, ending: closing }),
  ]
  const { data } = (await get(`/${connection}/differences`)).body
  expect(data.map((one: { uuid: string }) => one.uuid)).toEqual(uuids.toReversed())
  const shown = data.map((one: Record<string, unknown>) => [
    one.kind,
    one.provider_value,
    one.value,
    one.status,
    one.waits_for,
  ])
  expect(shown).toEqual([
    ['MISSING_HERE', 12.34, null, 'CLOSED', null],
    ['MISSING_HERE', 12.34, null, 'SETTLED', null],
    ['MISSING_THERE', null, 9, 'OPEN', 'OPERATOR'],
    ['MISSING_HERE', 12.34, null, 'OPEN', 'SERVICE'],
  ])
  expect(JSON.stringify(data)).not.toContain('ana@example.com')
  const read = async (query: string) => (await get(`/${connection}/differences?${query}`)).body
  expect((await read('kind=missing_there')).meta.total).toBe(1)
  expect((await read('status=SETTLED,CLOSED')).meta.total).toBe(2)
  const first = await read('cursor=&per_page=3')
  const rest = await read(`per_page=3&cursor=${encodeURIComponent(first.meta.next_cursor)}`)
  expect([...first.data, ...rest.data]).toEqual(data)
})

test('nothing of another account, of another mode or of a shared provider account is found', async () => {
  const pool = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
  const other = await fixture.insertConnection(await fixture.insertAccount())
  const live = await fixture.insertToken({ accountUuid, mode: 'live' })
  for (const [uuid, as] of [
    [pool, token],
    [other, token],
    [connection, live],
  ] as const)
    for (const path of [`/${uuid}`, `/${uuid}/differences`]) expect((await get(path, as)).status).toBe(404)
})
