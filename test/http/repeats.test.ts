import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fingerprintOf, operationUuid } from '../../src/api/idempotency.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { createTransfer } from '../../src/wire/transfer.ts'
import { openWorld, type World } from './support/world.ts'

/** SPEC §1: a repeat is answered from the row, whether or not the life can be asked. */

let world: World
beforeAll(async () => {
  world = await openWorld([transferRoutes])
})
afterAll(() => world?.close())

const sql = (statement: string, values: unknown[]) => world.orm.em.fork().execute(statement, values)

/** A transfer of which nobody knows what has become, begun a moment ago, and its repeat. */
async function inDoubt() {
  const [accountUuid, key] = [await world.account(), randomUUID()]
  const connection = await world.connection(accountUuid)
  const token = await world.token({ accountUuid })
  const body = { value: 10, pix_key: 'maria@example.com' }
  const uuid = operationUuid({ accountUuid, method: 'POST', path: '/api/v1/transfers', key })
  const fingerprint = fingerprintOf({ body: createTransfer.parse(body), connectionUuid: null })
  await sql(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, held_cents,
       pix_key, request_id, fingerprint, history, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'sending', 1000, 1000, 'maria@example.com', 'the first', ?, '[]',
       now(), now() from connection where uuid = ?`,
    [uuid, fingerprint, connection],
  )
  await sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, reference,
       state, code, unknown_since, next_check_at, created_at, updated_at)
     select ?, 'transfer', ?, uuid, provider_account_uuid, 0, 'r', 'unknown', 'timeout', now(), now(), now(), now()
     from connection where uuid = ?`,
    [randomUUID(), uuid, connection],
  )
  const repeat = () =>
    world.call('POST', '/api/v1/transfers', { token, body, headers: { 'idempotency-key': key } })
  return { uuid, repeat }
}

test('Temporal is away: a repeat of a transfer in doubt hears how it stands, and the same when it has failed', async () => {
  const { uuid, repeat } = await inDoubt()
  const heard = await repeat()
  expect([heard.status, heard.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(heard.body.data).toMatchObject({ uuid, status: 'PROCESSING', outcome: 'unknown' })
  await sql(`update transfer set state = 'failed', held_cents = 0 where uuid = ?`, [uuid])
  const again = await repeat()
  expect([again.status, again.text]).toEqual([201, heard.text])
})

test('PostgreSQL answers too late, once the transfer was found: it is not said that nothing was started', async () => {
  const { uuid, repeat } = await inDoubt()
  await inTransaction(world.orm, async em => {
    await em.execute('select from transfer where uuid = ? for update', [uuid])
    const { status, body, headers } = await repeat()
    expect([status, body.code, body.data]).toEqual([503, 'not_confirmed', { uuid }])
    expect(headers.has('retry-after')).toBe(true)
  })
  expect((await repeat()).status).toBe(201)
})
