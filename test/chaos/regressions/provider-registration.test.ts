import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listProviderAccounts } from '../../../src/activities/reconciliation/reconcile.ts'
import { activateConnection, createConnection } from '../../../src/admin/connections.ts'
import { checkProviderBalances } from '../../../src/admin/ledger-check.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import type { ProviderRegistry } from '../../../src/providers/registry.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A review's finding about how connections are activated. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

/** Activates a connection whose provider fails to register its notifications, after something happens meanwhile. */
async function refused(meanwhile: (connection: Connection) => Promise<unknown>) {
  const { accountUuid } = await fixture.createMerchant(0)
  const em = fixture.orm.em.fork()
  const connection = await createConnection(em, fixture.seal, {
    accountUuid,
    provider: 'PROVIDER_B',
    providerAccount: randomUUID(),
    dialect: 'woovi',
    type: 'NOMINAL',
    status: 'CONFIGURATION_PENDING',
    isSimulated: true,
    baseUrl: 'https://far.test',
    credentials: {},
    collectionKey: null,
  })
  const noAnswer = { kind: 'no_answer', code: 'timeout', message: 'no answer in time' } as const
  const provider = {
    async registerNotificationUrl() {
      await meanwhile(connection)
      return noAnswer
    },
  }
  const providers = { providerFor: () => provider } as unknown as ProviderRegistry
  const activation = activateConnection(em, {
    site: { providers, publicUrl: 'https://pix.test' },
    sealer: fixture.seal,
    connection,
    actor: 'ana',
  })
  const message = await activation.catch((error: Error) => error.message)
  const [stored] = await fixture.orm.em.fork().find(Connection, { uuid: connection.uuid })
  return { connection, message, status: stored?.status }
}

test('a connection whose notifications are not registered is removed with the reason', async () => {
  const { message, status } = await refused(async () => {})
  expect([message, status]).toEqual([expect.stringContaining('no answer in time'), undefined])
})

test('a connection that received a notification before its registration failed stays pending, and is not polled', async () => {
  const em = fixture.orm.em.fork()
  const { connection, message, status } = await refused(async ({ uuid: connectionUuid }) => {
    const notification = { uuid: randomUUID(), connectionUuid, kind: 'payment', body: '{}' } as const
    em.create(ProviderNotification, { ...notification, requestId: 'r' })
    await em.flush()
  })
  expect(message).toMatch(
    /no answer in time; [\da-f-]{36} stays CONFIGURATION_PENDING: it had a notification$/,
  )
  expect(status).toBe('CONFIGURATION_PENDING')
  const { providerAccountUuid } = connection
  expect(await listProviderAccounts(fixture.dependencies)()).not.toContain(providerAccountUuid)
  const silent = { providerFor: () => ({ balances: async () => ({ kind: 'no_answer' }) }) }
  const violations = await checkProviderBalances(em, silent as unknown as ProviderRegistry)
  expect(violations.filter(({ where }) => where.includes(providerAccountUuid))).toEqual([])
})

test('a check of balances passes over a provider account whose last connection was withdrawn meanwhile', async () => {
  const merchants = [await fixture.createMerchant(0), await fixture.createMerchant(0)]
  const uuids = merchants.map(({ connectionUuid }) => connectionUuid)
  const em = fixture.orm.em.fork()
  const [first, second] = (
    await em.find(Connection, { uuid: uuids }, { orderBy: { providerAccountUuid: 'asc' } })
  ).map(connection => connection.providerAccountUuid) as [string, string]
  const balances = async () => {
    await fixture.sql('delete from connection where provider_account_uuid = ?', [second])
    return { kind: 'no_answer' }
  }
  const providers = { providerFor: () => ({ balances }) } as unknown as ProviderRegistry
  const checked = (await checkProviderBalances(em, providers)).map(({ where }) => where)
  expect(checked).toContainEqual(expect.stringContaining(first))
  expect(checked).not.toContainEqual(expect.stringContaining(second))
})
