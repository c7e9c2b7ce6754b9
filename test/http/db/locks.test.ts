import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  applyDisputeFacts,
  type DisputeUpdate,
} from '../../../src/activities/disputes/apply-provider-state.ts'
import { lockCharge, lockTransfer } from '../../../src/activities/shared/transition.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { lockAvailableBalance } from '../../../src/db/ledger/post.ts'
import { lockConnection } from '../../../src/db/locks.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { insertDispute } from '../support/dispute-rows.ts'

/** Transactions that move money of an account run in turn; one that only starts an operation beside them does not wait. */

let fixture: ApiFixture
let accountUuid: string
let recipientUuid: string
let connection: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  accountUuid = await fixture.insertAccount()
  recipientUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid)
})
afterAll(() => fixture?.close())

const transferUnder = async (em: EntityManager, uuid: string) => (await lockTransfer(em, uuid)).transfer

test.each([
  ['charge', newCharge, lockCharge],
  ['transfer', newTransfer, transferUnder],
] as const)(
  'while a %s is locked others of the same connection and accounts can start',
  async (_, make, lock) => {
    const [locked, others] = [await make(), [newCharge, newTransfer]]
    await runInTransaction(fixture.orm, async em => {
      expect(await lock(em, locked)).toMatchObject({ uuid: locked, connection: { provider: 'PROVIDER_A' } })
      for (const other of others) expect(await other()).not.toBe(locked)
    })
  },
)

test('a locked row is waited for', async () => {
  const transfer = await newTransfer()
  await runInTransaction(fixture.orm, async em => {
    await lockTransfer(em, transfer)
    const update = executeWithLockTimeout(`update transfer set state = 'failed' where uuid = ?`, [transfer])
    await expect(update).rejects.toThrow(/lock timeout/)
  })
})

test('values read with a lock are those of the moment of the lock', async () => {
  const uuid = await newTransfer()
  const other = await fixture.insertConnection(accountUuid)
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
  const first = runInTransaction(fixture.orm, async em => {
    await lockTransfer(em, uuid)
    isLocked()
    await waitForLockWaiter()
    await em.execute(
      `update transfer set connection_uuid = c.uuid, provider_account_uuid = c.provider_account_uuid
       from connection c where c.uuid = ? and transfer.uuid = ?`,
      [other, uuid],
    )
    await em.execute(
      `with made as (
         insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type,
           value_cents, status, transfer_uuid, created_at, updated_at)
         select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'OUT', 100, 'PENDING', ?, now(), now()
         from connection where uuid = ? returning uuid)
       update transfer set movement_uuid = made.uuid from made where transfer.uuid = ?`,
      [randomUUID(), uuid, other, uuid],
    )
    await em.execute(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
         state, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, 'calling', now(), now() from connection where uuid = ?`,
      [randomUUID(), uuid, other],
    )
  })
  await locked
  await runInTransaction(fixture.orm, async em => {
    const { transfer, attempts } = await lockTransfer(em, uuid)
    expect(transfer.connection).toMatchObject({ uuid: other, provider: 'PROVIDER_A' })
    expect(transfer.movement).toMatchObject({ status: 'PENDING', transferUuid: uuid })
    expect(attempts).toMatchObject([{ connectionUuid: other, state: 'calling' }])
    const gated = executeWithLockTimeout('select from connection where uuid = ? for no key update', [other])
    await expect(gated).rejects.toThrow(/lock timeout/)
  })
  await first
})

test('transactions that move money of one connection run one at a time', async () => {
  const [charge, transfer] = [await newCharge(), await newTransfer()]
  await runInTransaction(fixture.orm, async em => {
    await lockCharge(em, charge)
    const other = runWithLockTimeout(tx => lockTransfer(tx, transfer))
    await expect(other).rejects.toThrow(/lock timeout/)
  })
})

test('a dispute of a PIX without a charge locks the connection first, as a charge does that the PIX turns out to pay', async () => {
  const med = await insertDispute(fixture, { connection })
  const [{ pix, endToEnd }] = await fixture.orm.em.execute<[{ pix: string; endToEnd: string }]>(
    'select movement_uuid as pix, end_to_end as "endToEnd" from dispute where uuid = ?',
    [med],
  )
  const told = {
    order: { uuid: med, connectionUuid: connection },
    facts: { kind: 'RECEIVED_MED', endToEnd, status: 'open', returns: [], disputeType: 'SCAM' },
  } as unknown as DisputeUpdate
  let looking: Promise<unknown> | undefined
  await runInTransaction(fixture.orm, async em => {
    await em.execute('select from connection where uuid = ? for no key update', [connection])
    looking = runInTransaction(fixture.orm, tx => applyDisputeFacts(tx, told))
    await waitForLockWaiter()
    await executeWithLockTimeout('select from movement where uuid = ? for update', [pix])
  })
  expect(await looking).toMatchObject({ uuid: med })
})

test('a transaction locks all balances of an account at once, so that two never wait for each other', async () => {
  const [{ at }] = await fixture.orm.em.execute<[{ at: string }]>(
    'select provider_account_uuid as at from connection where uuid = ?',
    [connection],
  )
  await runInTransaction(fixture.orm, async em => {
    expect(await lockAvailableBalance(em, { accountUuid, providerAccountUuid: at })).toBe(0)
    for (const bucket of ['available', 'outside', 'pending']) {
      const other = executeWithLockTimeout(
        'select from balance where account_uuid = ? and provider_account_uuid = ? and bucket = ? for update',
        [accountUuid, at, bucket],
      )
      await expect(other).rejects.toThrow(/lock timeout/)
    }
  })
})

describe('a locked connection', () => {
  let uuid: string
  beforeAll(async () => {
    uuid = await fixture.insertConnection(await fixture.insertAccount())
    await fixture.orm.em
      .fork()
      .execute('insert into circuit_breaker (connection_uuid, failures) values (?, array[now()])', [uuid])
  })

  test('is loaded by the statement that locks it with its current values, without a second query and without its credentials', async () => {
    const all = await fixture.orm.em.fork().findOneOrFail(Connection, uuid)
    await runInTransaction(fixture.orm, async em => {
      await lockConnection(em, uuid)
      const locked = em.getUnitOfWork().getById<Connection>(Connection, uuid)
      expect(locked).toMatchObject({ ...all })
      expect(locked?.sealedCredentials).toBeUndefined()
    })
  })

  test('has its loaded fields updated or kept, and none of them is written', async () => {
    await runInTransaction(fixture.orm, async em => {
      const known = await em.findOneOrFail(Connection, uuid, {
        populate: ['sealedCredentials', 'isDistrusted'],
      })
      await fixture.orm.em
        .fork({ disableContextResolution: true })
        .execute(`update connection set status = 'INACTIVE' where uuid = ?`, [uuid])
      const { sealedCredentials } = known
      await lockConnection(em, uuid)
      expect(known).toMatchObject({ status: 'INACTIVE', isDistrusted: true, sealedCredentials })
      em.getUnitOfWork().computeChangeSets()
      expect(em.getUnitOfWork().getChangeSets()).toEqual([])
    })
  })
})

function newCharge(): Promise<string> {
  return runWithLockTimeout(async em => {
    const uuid = await fixture.insertCharge(connection, em)
    await em.execute(
      `insert into split (uuid, charge_uuid, position, type, amount, recipient_account_uuid) values (?, ?, 0, 'FIXED', 10, ?)`,
      [randomUUID(), uuid, recipientUuid],
    )
    return uuid
  })
}

function newTransfer(): Promise<string> {
  return runWithLockTimeout(em => fixture.insertTransfer(connection, em))
}

function executeWithLockTimeout(query: string, values: unknown[]): Promise<unknown> {
  return runWithLockTimeout(em => em.execute(query, values))
}

/** Resolves when a transaction in this database waits for a lock. */
async function waitForLockWaiter(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  while (
    (await fixture.orm.em.fork({ disableContextResolution: true }).execute<object[]>(waiting)).length === 0
  )
    await sleep(10)
}

/** Gives up on a lock after a moment. */
function runWithLockTimeout<T>(act: (em: EntityManager) => Promise<T>): Promise<T> {
  return runInTransaction(fixture.orm, async em => {
    await em.execute(`set local lock_timeout = '300ms'`)
    return act(em)
  })
}
