import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { createAccount } from '../../../src/admin/accounts.ts'
import { activateConnection, createConnection } from '../../../src/admin/connections.ts'
import { approveAdjustment, proposeAdjustment } from '../../../src/admin/ledger-adjustments.ts'
import { checkProviderBalances } from '../../../src/admin/ledger-check.ts'
import { NOT_CREDITED_YET } from '../../../src/admin/opening-balance.ts'
import { addUser } from '../../../src/admin/users.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import type { Connection } from '../../../src/db/entities/connection.ts'
import { listOpenAccountEntries } from '../../../src/db/repositories/account-entries.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { createProviderRegistry, type ProviderRegistry } from '../../../src/providers/registry.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import {
  openSimulatorFixture,
  pollUntil,
  SHOP,
  type SimulatorFixture,
} from '../../simulator/support/simulator-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'

/** An account at a simulated Woovi in which money moves without us: afterwards the ledger agrees with the provider. */

/** A day of waiting is a tenth of a second. */
const TIME_SCALE = 864_000
const KEY = SHOP.keys[0]

let stack: SimulatorFixture
let orm: Orm
let providers: ProviderRegistry
let connection: Connection
const seal = createSealer(`a:${Buffer.alloc(32, 7).toString('base64')}`)
const OPERATOR_EMAILS = [`${randomUUID()}@trilho.test`, `${randomUUID()}@trilho.test`] as const

beforeAll(async () => {
  stack = await openSimulatorFixture()
  await stack.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi', balance: 100 })
  orm = await openTestOrm({ databaseUrl: await createTestDatabase() })
  providers = createProviderRegistry({ openCredentials: seal.open, timeoutMs: 10_000, ca: stack.ca })
  for (const email of OPERATOR_EMAILS)
    await addUser(orm.em.fork(), { email, password: randomUUID(), accountUuid: null })
  // A PIX from before the connection is part of its opening balance.
  await stack.control.deposit({ account: 'shop', value: 7 })
  const account = await createAccount(orm.em.fork(), { name: 'Loja', document: '11222333000181' })
  connection = await createConnection(orm.em.fork(), seal, {
    accountUuid: account.uuid,
    provider: 'PROVIDER_A',
    providerAccount: 'shop',
    dialect: 'woovi',
    type: 'NOMINAL',
    status: 'CONFIGURATION_PENDING',
    isSimulated: true,
    collectionKey: KEY,
    baseUrl: stack.facts.providers.PROVIDER_A.base_url,
    credentials: {
      app_id: Buffer.from(`${SHOP.client_id}:${SHOP.client_secret}`).toString('base64'),
      webhook_secret: 'a-secret-of-notifications',
    },
    creditedSince: NOT_CREDITED_YET,
  })
  const site = { providers, publicUrl: stack.facts.inbox_url }
  expect(await activateConnection(orm.em.fork(), { site, sealer: seal, connection, actor: 'ana' })).toEqual({
    kind: 'opened',
    cents: 10_700,
  })
})
afterAll(async () => {
  await providers?.close()
  await orm?.close()
  await stack?.close()
})

const move = (
  kind: Parameters<SimulatorFixture['control']['moveMoney']>[0]['kind'],
  value: number,
  end_to_end?: string,
) => stack.control.moveMoney({ provider: 'PROVIDER_A', account: 'shop', kind, value, end_to_end })

async function look() {
  // Deposits have a workflow of their own; here none runs.
  const workflow = { signalWithStart: async () => undefined }
  const dependencies = {
    orm,
    providers,
    temporal: { client: async () => ({ workflow }), taskQueue: 'story', timeScale: TIME_SCALE },
    timeScale: TIME_SCALE,
    log: pino({ level: 'silent' }),
  } as unknown as ActivityDependencies
  const now = Date.now()
  return reconcile(dependencies)({
    providerAccountUuid: connection.providerAccountUuid,
    from: new Date(now - 86_400_000).toISOString(),
    to: new Date(now + 1_000).toISOString(),
  })
}

const disagreements = async () => [
  ...(await checkLedger(orm.em.fork())),
  ...(await checkProviderBalances(orm.em.fork(), providers)),
]

test('after tariffs, withdrawals, blocks, panel transfers and returns the ledger equals the provider’s balance', async () => {
  expect(await disagreements()).toEqual([])
  await move('tariff', 0.85)
  await move('withdrawal', 10)
  await move('block', 20)
  await move('unblock', 5)
  const { end_to_end: received } = await stack.control.deposit({ account: 'shop', value: 30 })
  await move('return', 12, received)
  await move('send', 3)
  await pollUntil(
    () => stack.control.findAccount('shop'),
    ({ held }) => held === 0,
  )
  await pollUntil(
    async () => {
      await look()
      return disagreements()
    },
    found => found.length === 0,
  )
  const rows = await orm.em
    .fork()
    .execute<{ reason: string; cents: string }[]>(
      `select reason, sum(value_cents) as cents from movement group by reason order by reason`,
    )
  expect(Object.fromEntries(rows.map(({ reason, cents }) => [reason, Number(cents)]))).toEqual({
    opening_balance: 10_700,
    deposit: 3_000,
    panel_return: 1_200,
    panel_transfer: 300,
    provider_block: 2_000,
    provider_tariff: 85,
    provider_unblock: 500,
    provider_withdrawal: 1_000,
  })
  const [blocked] = await orm.em
    .fork()
    .execute<{ cents: string }[]>(`select cents from balance where bucket = 'blocked'`)
  expect(Number(blocked!.cents)).toBe(1_500)
})

test('a credit of an undocumented type is shown, and an adjustment by two operators makes both equal', async () => {
  await move('credit', 4)
  await pollUntil(
    async () => (await look()).unexplainedEntryCount,
    left => left === 1,
  )
  expect(await disagreements()).toMatchObject([
    { rule: 'provider_agrees', detail: expect.stringContaining('unlisted INTERNAL_TRANSFER: 400 in 1') },
  ])
  const [entry] = await listOpenAccountEntries(orm.em.fork())
  const uuid = await proposeAdjustment(orm, {
    accountUuid: connection.accountUuid,
    connectionUuid: connection.uuid,
    direction: 'IN',
    cents: 400,
    reason: 'from our other account',
    entryUuid: entry!.uuid,
    operatorEmail: OPERATOR_EMAILS[0],
  })
  await approveAdjustment(orm, {
    uuid,
    operatorEmail: OPERATOR_EMAILS[1],
    reason: 'seen in the panel',
    timeScale: 1,
  })
  expect(await disagreements()).toEqual([])
  expect(await look()).toMatchObject({ unexplainedEntryCount: 0, differences: 0 })
})
