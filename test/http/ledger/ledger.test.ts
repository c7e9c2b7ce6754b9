import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ledgerRoutes } from '../../../src/api/ledger/routes.ts'
import { MAX_CENTS } from '../../../src/domain/ledger/money.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookingSql } from '../support/row-inserters.ts'

/** SPEC §7: how a statement shows its lines. */

const PATH = '/api/v1/ledger'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([ledgerRoutes])
})
afterAll(() => fixture?.close())

/** Money received through a connection and available. */
async function deposit(connectionUuid: string, cents = 100): Promise<string> {
  const uuid = randomUUID()
  await fixture.orm.em.execute(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', ?, 'SETTLED', now(), now(), now()
       from connection where uuid = ? returning *) ${bookingSql()}`,
    [uuid, cents, connectionUuid],
  )
  return uuid
}

test('a line may exceed the largest amount: a transfer of that amount with its fee', async () => {
  const accountUuid = await fixture.insertAccount()
  await deposit(await fixture.insertConnection(accountUuid), MAX_CENTS + 25)
  const { status, body } = await fixture.call('GET', PATH, {
    token: await fixture.insertToken({ accountUuid }),
  })
  expect(status).toBe(200)
  expect(body.data).toMatchObject([{ value: 10_000_000_000.24, balance: '10000000000.24' }])
})

const linesOf = async (token: string, query = '') =>
  (await fixture.call('GET', PATH + query, { token })).body.data.map(
    (line: { uuid: string; provider: { uuid: string } }) => [line.uuid, line.provider.uuid],
  )

test('a connection of another account lists none of the caller’s lines, though both use one provider account', async () => {
  const accountUuid = await fixture.insertAccount()
  const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
  const ownConnection = await fixture.insertConnection(accountUuid, { providerAccountUuid })
  const shared = { providerAccountUuid, type: 'POOL' as const }
  const foreign = await fixture.insertConnection(await fixture.insertAccount(), shared)
  const movement = await deposit(ownConnection)
  const token = await fixture.insertToken({ accountUuid })
  expect(await linesOf(token, `?provider_uuid=${ownConnection}`)).toEqual([[movement, ownConnection]])
  expect(await linesOf(token, `?provider_uuid=${foreign}`)).toEqual([])
})

test('lines of two connections at one provider account name the requested one, else their own', async () => {
  const accountUuid = await fixture.insertAccount()
  const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
  const elder = await fixture.insertConnection(accountUuid, { providerAccountUuid, createdAt: new Date(0) })
  const younger = await fixture.insertConnection(accountUuid, { providerAccountUuid })
  const pool = { providerAccountUuid, type: 'POOL' as const }
  const payer = await fixture.insertConnection(await fixture.insertAccount(), pool)
  const [first, second, shared] = [await deposit(elder), await deposit(younger), await deposit(younger)]
  // A split of what another account's charge received.
  await fixture.orm.em.execute('update movement set connection_uuid = ? where uuid = ?', [payer, shared])
  const [token, bound] = [
    await fixture.insertToken({ accountUuid }),
    await fixture.insertToken({ accountUuid, connectionUuid: younger }),
  ]
  const all = [shared, second, first]
  expect(await linesOf(token)).toEqual([
    [shared, elder],
    [second, younger],
    [first, elder],
  ])
  expect(await linesOf(bound)).toEqual(all.map(uuid => [uuid, younger]))
  expect(await linesOf(token, `?provider_uuid=${younger}`)).toEqual(all.map(uuid => [uuid, younger]))
})
