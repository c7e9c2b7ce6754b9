import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../../src/api/app.ts'
import { fingerprintOf, operationUuid } from '../../src/api/idempotency.ts'
import { refundRoutes } from '../../src/api/routes/refunds.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { startServer } from '../../src/api/server.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { createTransfer } from '../../src/wire/transfer.ts'
import { andBooked } from './support/rows.ts'
import { caller, openWorld, type World } from './support/world.ts'

/** Requests that overlap: with one key they are one operation, without one none may be done after its caller gave up. */

let world: World
let accountUuid: string
let connection: string
let token: string
beforeAll(async () => {
  world = await openWorld([transferRoutes])
  accountUuid = await world.account()
  connection = await world.connection(accountUuid)
  await world.defaults(accountUuid, [connection])
  token = await world.token({ accountUuid })
})
afterAll(() => world?.close())

const sql = (statement: string, values: unknown[]) => world.orm.em.fork().execute(statement, values)

test('of two transfers with one key and a reference that none may have twice, the second is the first', async () => {
  await sql('update account set unique_external_ref = true where uuid = ?', [accountUuid])
  const [path, key, by] = ['/api/v1/transfers', randomUUID(), { accountUuid, mode: 'test' }] as const
  const body = { value: 10, pix_key: 'maria@example.com', external_ref: 'pedido-1' }
  const uuid = operationUuid({ by, method: 'POST', path, key })
  const fingerprint = fingerprintOf({ body: createTransfer.parse(body), connectionUuid: null })
  let second: ReturnType<World['call']> | undefined
  await inTransaction(world.orm, async em => {
    // The second has looked for its row, and asks for the candidates when the first one's row is written.
    await em.execute('lock table default_provider in access exclusive mode')
    second = world.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
    await isWaitedFor()
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

async function isWaitedFor(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  const aside = world.orm.em.fork({ disableContextResolution: true })
  while ((await aside.execute(waiting)).length === 0) await sleep(20)
}

test.each([
  ['without a key is taken before its caller is told that it was not, or never', {}, 4_000],
  ['with a key may be taken later: its repeat finds it', { 'idempotency-key': randomUUID() }, null],
])('a refund %s', async (_, headers, withinMs) => {
  const charge = await paidCharge()
  let order: { takeBefore?: string } | undefined
  const engine = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: {
      executeUpdateWithStart: async (
        _: unknown,
        { startWorkflowOperation }: { startWorkflowOperation: { options: { args: [typeof order] } } },
      ) => {
        order = startWorkflowOperation.options.args[0]
        throw new Error('nothing more was heard of it')
      },
    },
  }
  const temporal = async () => engine as never
  const server = await startServer(
    createApp({ ...world.dependencies, temporal, routes: [refundRoutes] }),
    world.config,
  )
  const began = Date.now()
  const path = `/api/v1/payments/${charge}/refund`
  const { status, body } = await caller(server)('POST', path, { token, body: { value: 0.4 }, headers })
  const answeredAt = Date.now()
  await server.stop()
  expect([status, body.code]).toEqual([503, 'not_confirmed'])
  const until = order!.takeBefore && Date.parse(order!.takeBefore)
  if (withinMs === null) expect(until).toBeUndefined()
  else {
    expect(until).toBeGreaterThanOrEqual(began)
    expect(until).toBeLessThanOrEqual(began + withinMs + 500)
    expect(answeredAt).toBeGreaterThan(until as number)
  }
})

async function paidCharge(): Promise<string> {
  const [charge, payment] = [await world.charge(connection), randomUUID()]
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *
     ) ${andBooked()}`,
    [payment, connection],
  )
  await sql(
    `update charge set state = 'paid', payload = 'p', received_cents = 100, paid_at = now(), movement_uuid = ?
     where uuid = ?`,
    [payment, charge],
  )
  return charge
}
