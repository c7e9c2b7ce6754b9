import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endPause, startPause } from '../../../src/admin/pauses.ts'
import { createApp } from '../../../src/api/app.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { refundRoutes } from '../../../src/api/refunds/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { createTransferBody } from '../../../src/contract/transfers/transfer.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { startServer } from '../../../src/http/server.ts'
import { type ApiFixture, createCaller, openApiFixture } from '../support/api-fixture.ts'
import { bookingSql } from '../support/row-inserters.ts'

/** Overlapping requests: with one key they are one operation, without one none may be executed after its caller gave up. */

let fixture: ApiFixture
let accountUuid: string
let connection: string
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([chargeRoutes, transferRoutes])
  accountUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid)
  await fixture.replaceDefaultProviders(accountUuid, [connection])
  token = await fixture.insertToken({ accountUuid })
})
afterAll(() => fixture?.close())

const sql = (statement: string, values: unknown[]) => fixture.orm.em.fork().execute(statement, values)

test('the second of two transfers with one key and one unique reference gets the first one’s response', async () => {
  await sql('update account set unique_external_ref = true where uuid = ?', [accountUuid])
  const [path, key, by] = ['/api/v1/transfers', randomUUID(), { accountUuid, mode: 'test' }] as const
  const body = { value: 10, pix_key: 'maria@example.com', external_ref: 'pedido-1' }
  const uuid = deriveOperationUuid({ owner: by, method: 'POST', path, key })
  const fingerprint = fingerprintRequest({ body: createTransferBody.parse(body), connectionUuid: null })
  let second: ReturnType<ApiFixture['call']> | undefined
  await runInTransaction(fixture.orm, async em => {
    // The second has looked for its row, and reads the candidates when the first one's row is written.
    await em.execute('lock table default_provider in access exclusive mode')
    second = fixture.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
    await waitForLockWaiter()
    await sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, external_ref,
         pix_key, request_id, fingerprint, history, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, 'settling', 1000, 'pedido-1', 'maria@example.com', 'the first', ?, '[]',
         now(), now() from connection where uuid = ?`,
      [uuid, fingerprint, connection],
    )
  })
  const { status, headers, body: answer } = (await second)!
  expect([status, headers.get('idempotent-replayed'), answer.data.uuid]).toEqual([201, 'true', uuid])
})

test('of two charges with one key, the second is the first, even where a pause began between the two', async () => {
  const [path, key, by] = ['/api/v1/payments', randomUUID(), { accountUuid, mode: 'test' }] as const
  const body = { value: 10, type: 'PIX' }
  const uuid = deriveOperationUuid({ owner: by, method: 'POST', path, key })
  const fingerprint = fingerprintRequest({ body: createChargeBody.parse(body), connectionUuid: null })
  const paused = {
    target: { connectionUuid: connection },
    reach: 'everything',
    actor: 'ana',
    reason: 'a drill',
  } as const
  let second: ReturnType<ApiFixture['call']> | undefined
  await runInTransaction(fixture.orm, async em => {
    await em.execute('lock table default_provider in access exclusive mode')
    second = fixture.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
    await waitForLockWaiter()
    const charge = await fixture.insertCharge(connection, fixture.orm.em.fork())
    await sql(
      `update charge set uuid = ?, fingerprint = ?, state = 'pending', payload = 'p', history = '[]' where uuid = ?`,
      [uuid, fingerprint, charge],
    )
    await startPause(fixture.orm.em.fork(), paused)
  })
  const { status, headers, body: answer } = (await second)!
  await endPause(fixture.orm.em.fork(), paused)
  expect([status, headers.get('idempotent-replayed'), answer.data?.uuid]).toEqual([201, 'true', uuid])
})

async function waitForLockWaiter(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  const aside = fixture.orm.em.fork({ disableContextResolution: true })
  while ((await aside.execute(waiting)).length === 0) await sleep(20)
}

test.each([
  ['without a key is accepted before its caller’s deadline, or never', {}, 4_000],
  ['with a key may be accepted later: its repeat finds it', { 'idempotency-key': randomUUID() }, null],
])('a refund %s', async (_, headers, withinMs) => {
  const charge = await paidCharge()
  let order: { uuid: string; acceptBefore?: string } | undefined
  let startedAt = 0
  const client = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: {
      executeUpdateWithStart: async (
        _: unknown,
        { startWorkflowOperation }: { startWorkflowOperation: { options: { args: [typeof order] } } },
      ) => {
        order = startWorkflowOperation.options.args[0]
        startedAt = Date.now()
        throw new Error('nothing more was heard of it')
      },
    },
  }
  const temporal = { ...fixture.dependencies.temporal, client: async () => client as never }
  const server = await startServer(
    createApp({ ...fixture.dependencies, temporal, routes: [refundRoutes] }),
    fixture.config,
  )
  const began = Date.now()
  const path = `/api/v1/payments/${charge}/refund`
  const { status, body } = await createCaller(server)('POST', path, { token, body: { value: 0.4 }, headers })
  const answeredAt = Date.now()
  await server.stop()
  expect([status, body.code]).toEqual([503, 'not_confirmed'])
  // As in the response of a success: the charge, and its refund.
  expect(body.data).toEqual({ uuid: charge, refund: { uuid: order!.uuid } })
  const until = order!.acceptBefore && Date.parse(order!.acceptBefore)
  if (withinMs === null) expect(until).toBeUndefined()
  else {
    expect(until).toBeGreaterThanOrEqual(began)
    expect(until).toBeLessThanOrEqual(startedAt + withinMs + 500) // The request arrived before.
    expect(answeredAt).toBeGreaterThan(until as number)
  }
})

async function paidCharge(): Promise<string> {
  const [charge, payment] = [await fixture.insertCharge(connection), randomUUID()]
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *
     ) ${bookingSql()}`,
    [payment, connection],
  )
  await sql(
    `update charge set state = 'paid', payload = 'p', received_cents = 100, paid_at = now(), movement_uuid = ?
     where uuid = ?`,
    [payment, charge],
  )
  return charge
}
