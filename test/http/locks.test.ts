import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { lockCharge, lockTransfer } from '../../src/activities/move.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { openWorld, type World } from './support/world.ts'

/** Of money under way through one connection only its own row is locked: nobody else's waits for it. */

let world: World
let accountUuid: string
let recipientUuid: string
let connection: string
beforeAll(async () => {
  world = await openWorld([])
  accountUuid = await world.account()
  recipientUuid = await world.account()
  connection = await world.connection(accountUuid)
})
afterAll(() => world?.close())

test.each([
  ['charge', newCharge, lockCharge],
  ['transfer', newTransfer, lockTransfer],
] as const)('beside a locked %s others of the same connection and accounts begin', async (_, make, lock) => {
  const [locked, others] = [await make(), [newCharge, newTransfer]]
  await inTransaction(world.orm, async em => {
    expect(await lock(em, locked)).toMatchObject({ uuid: locked, connection: { provider: 'PROVIDER_A' } })
    for (const other of others) expect(await other()).not.toBe(locked)
  })
})

test('a locked row is waited for', async () => {
  const transfer = await newTransfer()
  await inTransaction(world.orm, async em => {
    await lockTransfer(em, transfer)
    const update = impatiently(`update transfer set state = 'failed' where uuid = ?`, [transfer])
    await expect(update).rejects.toThrow(/lock timeout/)
  })
})

async function newCharge(): Promise<string> {
  const uuid = randomUUID()
  await impatiently(
    `with made as (
       insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
         payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, 'issuing', 100, 100, ?, 3600, 'r', 'f', now(), now()
       from connection where uuid = ?
       returning uuid)
     insert into split (uuid, charge_uuid, position, type, amount, recipient_account_uuid)
     select ?, uuid, 0, 'FIXED', 10, ? from made`,
    [uuid, randomUUID(), connection, randomUUID(), recipientUuid],
  )
  return uuid
}

async function newTransfer(): Promise<string> {
  const uuid = randomUUID()
  await impatiently(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'created', 100, 'maria@example.com', 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [uuid, connection],
  )
  return uuid
}

/** Gives up on a lock after a moment. */
function impatiently(query: string, values: unknown[]): Promise<unknown> {
  return inTransaction(world.orm, async em => {
    await em.execute(`set local lock_timeout = '300ms'`)
    return em.execute(query, values)
  })
}
