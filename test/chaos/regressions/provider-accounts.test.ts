import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listProviderAccounts, reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { activateConnection, createConnection } from '../../../src/admin/connections.ts'
import { checkProviderBalances } from '../../../src/admin/ledger-check.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import { storeUnexplainedAnswer } from '../../../src/db/repositories/unexplained-answers.ts'
import type { StatementEntry } from '../../../src/domain/providers/provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { ProviderRegistry } from '../../../src/providers/registry.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

describe('provider registration', () => {
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
})

describe('database connections', () => {
  /** A storm's finding when the database went down during transactions: a worker that never got a connection again. */

  const POOL = 2
  let orm: Orm
  beforeAll(async () => {
    orm = await openTestOrm({ databaseUrl: await createTestDatabase(), poolSize: POOL })
  })
  afterAll(() => orm?.close())

  test('connections that end during transactions are replaced, however many', async () => {
    for (let time = 0; time < 2 * POOL; time++)
      await expect(
        runInTransaction(orm, em => em.execute('select pg_terminate_backend(pg_backend_pid())')),
      ).rejects.toThrow()
    expect(await runInTransaction(orm, em => em.execute('select 1 as one'))).toEqual([{ one: 1 }])
  })

  test('connections that end outside of transactions are replaced too', async () => {
    for (let time = 0; time < 2 * POOL; time++)
      await expect(orm.em.fork().execute('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow()
    const all = await Promise.all([1, 2, 3, 4].map(one => orm.em.fork().execute(`select ${one} as one`)))
    expect(all.flat()).toEqual([{ one: 1 }, { one: 2 }, { one: 3 }, { one: 4 }])
  })

  test('a pool closed while it connects closes the new connection too', async () => {
    const closing = await openTestOrm({ databaseUrl: await createTestDatabase(), poolSize: POOL })
    await closing.em.fork().execute('select 1')
    const asked = ['select pg_sleep(0.5)', 'select 2'].map(sql =>
      closing.em
        .fork()
        .execute(sql)
        .catch(() => 'given up'),
    )
    await new Promise(setImmediate) // Now one connection is in use, and another one is being opened.
    await closing.close()
    expect((await Promise.all(asked))[1]).toBe('given up')
  })
})

describe('quarantined items', () => {
  /** A list item that cannot be parsed is listed again by each reconciliation, until a release parses it. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const DAY_MS = 86_400_000
  /** The same day at each call, also where midnight passes. */
  const NOW = Date.now()
  const ago = (days: number) => new Date(NOW - days * DAY_MS).toISOString()

  async function anAccount() {
    const { connectionUuid } = await fixture.createMerchant(0)
    const [row] = await fixture.sql<{ uuid: string }>(
      'select provider_account_uuid as uuid from connection where uuid = ?',
      [connectionUuid],
    )
    return {
      connectionUuid,
      look: () =>
        reconcile(fixture.dependencies)({
          providerAccountUuid: row!.uuid,
          from: ago(2),
          to: new Date().toISOString(),
        }),
      leaveOut: (operation: string) =>
        storeUnexplainedAnswer(fixture.orm.em.fork(), {
          connectionUuid,
          operation,
          reference: null,
          kind: 'unreadable_item',
          status: 200,
          name: '',
          sealedBody: 'sealed',
          isCut: false,
          digest: 'd',
          period: { from: ago(10), to: ago(8) },
        }),
      async unresolved() {
        const rows = await fixture.sql<object>(
          'select operation from unexplained_answer where connection_uuid = ? and resolved_at is null',
          [connectionUuid],
        )
        return rows.length
      },
    }
  }

  test('a statement item is listed again in its period, and recorded once it can be parsed', async () => {
    const account = await anAccount()
    const endToEnd = `E${'5'.repeat(31)}`
    const entry: StatementEntry = {
      endToEnd,
      reference: null,
      direction: 'IN',
      cents: 700,
      at: ago(9),
    }
    const asked: string[] = []
    let isReadable = false
    const statement: Provider['statement'] = async from => {
      asked.push(from.slice(0, 10))
      const isOld = Date.parse(from) < Date.now() - 5 * DAY_MS
      if (isOld && !isReadable) await account.leaveOut('statement')
      return { kind: 'found', entries: isOld && isReadable ? [entry] : [] }
    }
    fixture.scriptProvider({ statement, listDisputes: async () => ({ kind: 'found', disputes: [] }) })
    await account.leaveOut('statement')

    expect(await account.look()).toMatchObject({ repaired: 0 })
    expect(asked).toEqual([ago(2).slice(0, 10), ago(10).slice(0, 10)])
    expect(await account.unresolved()).toBe(1)

    isReadable = true
    expect(await account.look()).toMatchObject({ repaired: 1 })
    expect(fixture.signalledWorkflowIds).toEqual([
      WORKFLOWS.deposit.idOf(`${account.connectionUuid}/${endToEnd}`),
    ])
    expect(await account.unresolved()).toBe(0)

    asked.length = 0
    await account.look()
    expect(asked).toHaveLength(1)
  })

  test('a dispute is listed again in its period; an unanswered list resolves nothing', async () => {
    const account = await anAccount()
    await account.leaveOut('listDisputes')
    const asked: string[] = []
    let isThere = false
    fixture.scriptProvider({
      statement: async () => ({ kind: 'found', entries: [] }),
      async listDisputes(from) {
        asked.push(from.slice(0, 10))
        const isOld = Date.parse(from) < Date.now() - 9 * DAY_MS
        return isOld && !isThere
          ? { kind: 'no_answer', code: 'timeout', message: 'no answer' }
          : { kind: 'found', disputes: [] }
      },
    })
    await account.look()
    expect(asked).toContain(ago(10).slice(0, 10))
    expect(await account.unresolved()).toBe(1)
    isThere = true
    await account.look()
    expect(await account.unresolved()).toBe(0)
  })
})
