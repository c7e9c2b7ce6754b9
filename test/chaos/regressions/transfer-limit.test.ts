import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { changeConnection } from '../../../src/admin/connections.ts'
import type { ProviderTransferRequest } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** The limit of a transfer of a connection, which may be lowered after a transfer was ordered. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const setLimit = (uuid: string, maxTransferCents: number | null) =>
  changeConnection(fixture.orm.em.fork(), {
    actor: 'ana',
    reason: 'a norm',
    uuid,
    change: () => ({ maxTransferCents }),
  })

/** Records the orders that the provider gets; it answers none of them. */
function recordSendings(): ProviderTransferRequest[] {
  const sent: ProviderTransferRequest[] = []
  fixture.scriptProvider({
    sendTransfer: async order => {
      sent.push(order)
      return { kind: 'unknown', code: 'timeout', message: 'no answer' }
    },
  })
  return sent
}

test.each([
  [499, 'rejected'],
  [500, 'unknown'],
  [null, 'unknown'],
])('with a limit of %p centavos a transfer of 500 is %s', async (limit, kind) => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid } = merchant
  await setLimit(connectionUuid, limit)
  const order = fixture.transferInput(merchant)
  const sent = recordSendings()
  const result = await fixture.providers.sendTransfer({
    uuid: order.uuid,
    connectionUuid,
    isResend: false,
    order,
  })
  expect(result.kind).toBe(kind)
  expect(sent).toHaveLength(kind === 'unknown' ? 1 : 0)
  if (kind === 'unknown') return
  expect(result).toMatchObject({ code: 'transfer_limit', finality: 'other_may_help' })
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})

test('a transfer above the limit of the first provider goes through the next one, whole', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const other = await fixture.createConnection(merchant)
  await fixture.sql(
    `update balance set cents = cents + 1000 where account_uuid = ? and bucket = 'available' and cents = 0`,
    [merchant.accountUuid],
  )
  await setLimit(merchant.connectionUuid, 100)
  const order = fixture.transferInput(merchant, { candidates: [merchant.connectionUuid, other] })
  const sent = recordSendings()
  const send = (connectionUuid: string) =>
    fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false, order })
  expect(await send(merchant.connectionUuid)).toMatchObject({ kind: 'rejected', code: 'transfer_limit' })
  expect(await send(other)).toMatchObject({ kind: 'unknown' })
  expect(sent.map(({ cents }) => cents)).toEqual([500])
})

test('a transfer that may have been sent is sent again under a limit that was lowered since', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid } = merchant
  const order = fixture.transferInput(merchant)
  const sent = recordSendings()
  const send = (isResend: boolean) =>
    fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend, order })
  await send(false)
  await setLimit(connectionUuid, 100)
  expect(await send(true)).toMatchObject({ kind: 'unknown' })
  expect(sent).toHaveLength(2)
})

test('PostgreSQL refuses an attempt at a transfer above the limit of its connection', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid } = merchant
  await setLimit(connectionUuid, 100)
  const order = fixture.transferInput(merchant)
  await fixture.records.storeTransfer(order)
  const insert = (state: string) =>
    fixture.sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, ?, now(), now() from connection where uuid = ?`,
      [randomUUID(), order.uuid, state, connectionUuid],
    )
  await expect(insert('calling')).rejects.toThrow(/attempt_within_limit/)
  await expect(insert('preparing')).rejects.toThrow(/attempt_within_limit/)
  await insert('unreachable')
  const begin = () => fixture.sql(`update attempt set state = 'calling' where subject_uuid = ?`, [order.uuid])
  await expect(begin()).rejects.toThrow(/attempt_within_limit/)
  await expect(
    fixture.sql('update connection set max_transfer_cents = 0 where uuid = ?', [connectionUuid]),
  ).rejects.toThrow()
  await setLimit(connectionUuid, 500)
  await begin()
})
