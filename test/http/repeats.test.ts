import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fingerprintOf, operationUuid } from '../../src/api/idempotency.ts'
import { STATEMENT_MS } from '../../src/api/limits.ts'
import { paymentRoutes } from '../../src/api/routes/payments.ts'
import { refundRoutes } from '../../src/api/routes/refunds.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { beginPause } from '../../src/db/pauses.ts'
import { createPayment } from '../../src/wire/payment.ts'
import { createRefund } from '../../src/wire/refund.ts'
import { createTransfer } from '../../src/wire/transfer.ts'
import { andBooked } from './support/rows.ts'
import { openWorld, type World } from './support/world.ts'

/** SPEC §1: a repeat is answered from the row, whether or not the life can be asked. */

let world: World
beforeAll(async () => {
  const routes = [transferRoutes, refundRoutes, paymentRoutes]
  world = await openWorld(routes, {}, undefined, { statementMs: STATEMENT_MS })
})
afterAll(() => world?.close())

const sql = (statement: string, values: unknown[]) => world.orm.em.fork().execute(statement, values)

type Doubted = { operation: 'transfer' | 'refund'; uuid: string; connection: string }
const inDoubt = ({ operation, uuid, connection }: Doubted) =>
  sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, reference,
       state, code, unknown_since, next_check_at, created_at, updated_at)
     select ?, ?, ?, uuid, provider_account_uuid, 0, 'r', 'unknown', 'timeout', now(), now(), now(), now()
     from connection where uuid = ?`,
    [randomUUID(), operation, uuid, connection],
  )

/** A transfer of which nobody knows what has become, begun a moment ago, and its repeat. */
async function transferInDoubt() {
  const { accountUuid, connection, token, key } = await merchant()
  const [path, body] = ['/api/v1/transfers', { value: 10, pix_key: 'maria@example.com' }]
  const uuid = operationUuid({ by: { accountUuid, mode: 'test' }, method: 'POST', path, key })
  const fingerprint = fingerprintOf({ body: createTransfer.parse(body), connectionUuid: null })
  await sql(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, held_cents,
       pix_key, request_id, fingerprint, history, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'sending', 1000, 1000, 'maria@example.com', 'the first', ?, '[]',
       now(), now() from connection where uuid = ?`,
    [uuid, fingerprint, connection],
  )
  await inDoubt({ operation: 'transfer', uuid, connection })
  const repeat = (by = token) =>
    world.call('POST', path, { token: by, body, headers: { 'idempotency-key': key } })
  return { uuid, accountUuid, repeat }
}

/** The same of a refund. */
async function refundInDoubt() {
  const { accountUuid, connection, token, key } = await merchant()
  const charge = await world.charge(connection)
  const received = randomUUID()
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *
     ) ${andBooked()}`,
    [received, connection],
  )
  const [path, body] = [`/api/v1/payments/${charge}/refund`, { value: 0.4 }]
  const uuid = operationUuid({ by: { accountUuid, mode: 'test' }, method: 'POST', path, key })
  const returning = randomUUID()
  await sql(
    `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, created_at, updated_at)
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 40, 'PENDING', now(), now()
     from connection where uuid = ?`,
    [returning, connection],
  )
  const fingerprint = fingerprintOf({ body: createRefund.parse(body), connectionUuid: null })
  await sql(
    `with counted as (
       update charge set state = 'refunding', payload = 'p', received_cents = 100, refunding_cents = 40, movement_uuid = ?
       where uuid = ?
     )
     insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       movement_uuid, request_id, fingerprint, created_at, updated_at)
     select ?, ?, account_uuid, uuid, provider_account_uuid, 'sending', 40, ?, 'the first', ?, now(), now()
     from connection where uuid = ?`,
    [received, charge, uuid, charge, returning, fingerprint, connection],
  )
  await inDoubt({ operation: 'refund', uuid, connection })
  return {
    uuid,
    repeat: () => world.call('POST', path, { token, body, headers: { 'idempotency-key': key } }),
  }
}

async function merchant() {
  const accountUuid = await world.account()
  const connection = await world.connection(accountUuid)
  return { accountUuid, connection, token: await world.token({ accountUuid }), key: randomUUID() }
}

test('Temporal is away: a repeat of a transfer in doubt hears how it stands, and the same when it has failed', async () => {
  const { uuid, repeat } = await transferInDoubt()
  const heard = await repeat()
  expect([heard.status, heard.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(heard.body.data).toMatchObject({ uuid, status: 'PROCESSING', outcome: 'unknown' })
  await sql(`update transfer set state = 'failed', held_cents = 0 where uuid = ?`, [uuid])
  const again = await repeat()
  expect([again.status, again.text]).toEqual([201, heard.text])
})

test('a doubt that was kept beside an acceptance is not repeated', async () => {
  const { uuid, repeat } = await transferInDoubt()
  const { attempts } = (await repeat()).body.data
  const accepted = JSON.stringify([{ ...attempts[0], outcome: 'accepted' }])
  await sql(
    `update transfer set state = 'failed', held_cents = 0, accepted = jsonb_set(accepted, '{attempts}', ?::jsonb)
     where uuid = ?`,
    [accepted, uuid],
  )
  const { data } = (await repeat()).body
  expect(data).toMatchObject({ uuid, status: 'PROCESSING', attempts: [{ outcome: 'accepted' }] })
  for (const gone of ['outcome', 'unknown_since', 'next_check_at']) expect(data).not.toHaveProperty(gone)
})

test('Temporal is away: a repeat of a refund in doubt hears that it was accepted, and the same when it has failed', async () => {
  const { uuid, repeat } = await refundInDoubt()
  const heard = await repeat()
  expect([heard.status, heard.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  await sql(
    `with failed as (update refund set state = 'failed' where uuid = ? returning charge_uuid)
     update charge set state = 'paid', refunding_cents = 0 from failed where uuid = charge_uuid`,
    [uuid],
  )
  const again = await repeat()
  expect([again.status, again.text]).toEqual([200, heard.text])
})

test.each([
  ['transfer', transferInDoubt, 201],
  ['refund', refundInDoubt, 200],
] as const)(
  'PostgreSQL answers too late, once the %s was found: it is not said that nothing was started',
  async (noun, begun, accepted) => {
    const { uuid, repeat } = await begun()
    await inTransaction(world.orm, async em => {
      await em.execute(`select from ${noun} where uuid = ? for update`, [uuid])
      const { status, body, headers } = await repeat()
      expect([status, body.code, body.data]).toEqual([503, 'not_confirmed', { uuid }])
      expect(headers.has('retry-after')).toBe(true)
    })
    expect((await repeat()).status).toBe(accepted)
  },
)

test('a live token does not hear what a test token has simulated by the same key', async () => {
  const { accountUuid, repeat } = await transferInDoubt()
  expect((await repeat()).status).toBe(201)
  const live = await repeat(await world.token({ accountUuid, mode: 'live' }))
  expect([live.status, Object.keys(live.body.errors)]).toEqual([422, ['provider_uuid']])
})

test('a repeat of a charge that is being issued is not asked anew whether it may be: it hears where to look', async () => {
  const { accountUuid, connection, token, key } = await merchant()
  const [path, body] = ['/api/v1/payments', { value: 1, type: 'PIX', provider_uuid: connection }]
  const uuid = operationUuid({ by: { accountUuid, mode: 'test' }, method: 'POST', path, key })
  const fingerprint = fingerprintOf({ body: createPayment.parse(body), connectionUuid: null })
  const charge = await world.charge(connection)
  await sql('update charge set uuid = ?, fingerprint = ? where uuid = ?', [uuid, fingerprint, charge])
  const target = { connectionUuid: connection }
  await beginPause(world.orm.em.fork(), { target, reach: 'everything', who: 'ana', reason: 'a drill' })
  await sql(`update connection set status = 'INACTIVE' where uuid = ?`, [connection])
  const heard = await world.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
  expect([heard.status, heard.body.code, heard.body.data]).toEqual([503, 'issuing', { uuid }])
})
