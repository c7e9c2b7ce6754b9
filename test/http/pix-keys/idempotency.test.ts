import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createApp } from '../../../src/api/app.ts'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { pixKeyRoutes } from '../../../src/api/pix-keys/routes.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { startServer } from '../../../src/http/server.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../support/api-fixture.ts'

/** The responses about a key while its workflow, or that of a concurrent request, is still running. */

const PATH = '/api/v1/pix-keys'

let fixture: ApiFixture
let accountUuid: string
let connection: string
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([pixKeyRoutes], { TRILHO_OUTBOX: 'true' })
})
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
  await fixture.replaceDefaultProviders(accountUuid, [connection])
  token = await fixture.insertToken({ accountUuid })
})
afterAll(() => fixture?.close())

const sql = (query: string, values: unknown[]) => fixture.orm.em.fork().execute(query, values)
const row = (values: Record<string, unknown>, em: EntityManager = fixture.orm.em.fork()) =>
  em.execute(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       auth_code_uuid, failure, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, ?, ?, ?, ?, ?, 'r', ?, now(), now()
     from connection where uuid = ?`,
    [
      ...[values.uuid ?? randomUUID(), values.type ?? 'RANDOM', values.key, values.state ?? 'active'],
      ...[values.code ?? null, values.failure ?? null, values.fingerprint ?? 'f', connection],
    ],
  )

test('a removal that is not answered in time is not answered with an earlier removal’s refusal', async () => {
  const key = randomUUID()
  const failure = JSON.stringify({ code: 'busy', message: 'not yesterday', provider: 'PROVIDER_B' })
  await row({ key, failure })
  const silent = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: {
      executeUpdateWithStart: async () => {
        throw new Error('begun, and then nothing was heard of it')
      },
    },
  }
  const temporal = { ...fixture.dependencies.temporal, client: async () => silent as never }
  const app = createApp({ ...fixture.dependencies, temporal, routes: [pixKeyRoutes] })
  const server = await startServer(app, fixture.config)
  const { status, body } = await createCaller(server)('DELETE', `${PATH}/${key}`, { token })
  await server.stop()
  expect([status, body.code]).toEqual([503, 'not_confirmed'])
})

test('a repeat during the first request’s commit receives the first response, although the code was used', async () => {
  const code = randomUUID()
  const key = `${code}@example.com`
  await sql(
    `insert into auth_code (uuid, account_uuid, type, key, is_simulated, mac, expires_at, delivery, request_id, fingerprint)
     values (?, ?, 'EMAIL', ?, true, ?, now() + interval '10 minutes', 'sent', 'r', 'f')`,
    [code, accountUuid, key, fixture.dependencies.sealer.mac(`${code}:123456`)],
  )
  const body = { type: 'EMAIL', auth_code_id: code, auth_code: '123456' }
  const by = { accountUuid, mode: 'test' } as const
  const uuid = deriveOperationUuid({ owner: by, method: 'POST', path: PATH, key: 'once' })
  const fingerprint = fingerprintRequest({ body, connectionUuid: null })
  const headers = { 'idempotency-key': 'once' }
  let repeat: ReturnType<ApiFixture['call']> | undefined
  await runInTransaction(fixture.orm, async em => {
    await em.execute('select from auth_code where uuid = ? for update', [code])
    repeat = fixture.call('POST', PATH, { token, body, headers })
    await waitsForALock()
    await em.execute('update auth_code set used_at = now() where uuid = ?', [code])
    await row({ uuid, type: 'EMAIL', key, code, fingerprint }, em)
  })
  const answer = (await repeat)!
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
})

test.each([
  ['auth_code_used', 'validation_failed', ['auth_code_id']],
  ['pix_key_limit', 'pix_key_limit', undefined],
  ['key_unsupported', 'key_not_supported', ['type']],
])(
  'a refusal stored as %s is final for its key, and is marked as a replay',
  async (failureCode, code, fields) => {
    const body = { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: '123456' }
    const by = { accountUuid, mode: 'test' } as const
    const uuid = deriveOperationUuid({ owner: by, method: 'POST', path: PATH, key: 'once' })
    await row({
      uuid,
      type: 'EMAIL',
      key: `${uuid}@example.com`,
      state: 'refused',
      failure: JSON.stringify({ code: failureCode, message: 'lost the race' }),
      fingerprint: fingerprintRequest({ body, connectionUuid: null }),
    })
    const answer = await fixture.call('POST', PATH, { token, body, headers: { 'idempotency-key': 'once' } })
    expect([answer.status, answer.body.code, answer.headers.get('idempotent-replayed')]).toEqual([
      422,
      code,
      'true',
    ])
    expect(answer.body.errors && Object.keys(answer.body.errors)).toEqual(fields)
  },
)

test('a repeat whose key is being created waits for it, as the first request does', async () => {
  const body = { type: 'RANDOM' }
  const by = { accountUuid, mode: 'test' } as const
  const uuid = deriveOperationUuid({ owner: by, method: 'POST', path: PATH, key: 'once' })
  const key = randomUUID()
  await row({ uuid, key, state: 'creating', fingerprint: fingerprintRequest({ body, connectionUuid: null }) })
  const joined: string[] = []
  const client = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: {
      getHandle: (id: string) => ({
        async executeUpdate() {
          joined.push(id)
          await sql(`update pix_key set state = 'active' where uuid = ?`, [uuid])
        },
      }),
    },
  }
  const temporal = { ...fixture.dependencies.temporal, client: async () => client as never }
  const app = createApp({ ...fixture.dependencies, temporal, routes: [pixKeyRoutes] })
  const server = await startServer(app, fixture.config)
  const headers = { 'idempotency-key': 'once' }
  const answer = await createCaller(server)('POST', PATH, { token, body, headers })
  await server.stop()
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(joined).toEqual([`pix-key/${uuid}`])
})

async function waitsForALock(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  while ((await fixture.orm.em.fork({ disableContextResolution: true }).execute(waiting)).length === 0)
    await sleep(20)
}
