import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { databaseActivities, providerActivities } from '../../../src/activities/index.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { createAccount } from '../../../src/admin/accounts.ts'
import { createConnection, postOpeningBalance } from '../../../src/admin/connections.ts'
import { createToken } from '../../../src/admin/tokens.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import type { TransferInput, TransferInputDetails } from '../../../src/workflows/contracts/transfers.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { watchLockOrder } from './lock-order.ts'

type WorkflowStartOptions = { workflowId: string }

/**
 * The activities over a database of their own and a provider scripted by the test: no workflow, no network. Its end
 * fails where a transaction has locked disputes or balances out of order.
 */
export async function openActivityFixture() {
  const lockOrder = watchLockOrder()
  const databaseUrl = await createTestDatabase()
  const orm = await openTestOrm({ databaseUrl })
  const seal = createSealer(`a:${Buffer.alloc(32, 7).toString('base64')}`)
  const scriptedProvider: Partial<Provider> = {
    preconnect: () => {},
    registerNotificationUrl: async () => ({ kind: 'registered' }),
    balances: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer in time' }),
  }
  const signalledWorkflowIds: string[] = []
  const temporal = {
    client: async () => ({
      workflow: {
        signalWithStart: async (_: string, options: WorkflowStartOptions) =>
          signalledWorkflowIds.push(options.workflowId),
      },
    }),
    taskQueue: 'books',
    timeScale: 1,
  } as unknown as TemporalContext
  const dependencies = {
    orm,
    sealer: seal,
    timeScale: 1,
    publicUrl: 'https://trilho.test',
    temporal,
    log: pino({ level: 'silent' }),
    providers: { providerFor: () => scriptedProvider as Provider, close: async () => {} },
  } as unknown as ActivityDependencies
  const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
    orm.em.fork().execute(query, values)

  const connected = (accountUuid: string, pool?: string) =>
    createConnection(orm.em.fork(), seal, {
      accountUuid,
      provider: 'PROVIDER_A',
      providerAccount: pool ?? randomUUID(),
      dialect: 'efi',
      type: pool === undefined ? 'NOMINAL' : 'POOL',
      isSimulated: true,
      baseUrl: 'https://far.test',
      credentials: {},
      collectionKey: randomUUID(),
    })

  return {
    databaseUrl,
    sql,
    seal,
    dependencies,
    temporal,
    orm,
    /** What the provider answers from now on. */
    scriptProvider: (answers: Partial<Provider>) => Object.assign(scriptedProvider, answers),
    records: databaseActivities(dependencies),
    providers: providerActivities(dependencies),
    /** The workflows that were signalled to poll, by their ids. */
    signalledWorkflowIds,

    /** An account with one connection and this balance; where a pool is named, it is shared. */
    async createMerchant(cents: number, pool?: string) {
      const { uuid: accountUuid } = await createAccount(orm.em.fork(), {
        name: 'Loja',
        document: '11222333000181',
      })
      const connection = await connected(accountUuid, pool)
      if (cents > 0) await postOpeningBalance(orm.em.fork(), connection, cents)
      return { accountUuid, connectionUuid: connection.uuid }
    },
    /** One more provider for it. */
    async createConnection({ accountUuid }: { accountUuid: string }): Promise<string> {
      return (await connected(accountUuid)).uuid
    },
    /** Lets every transfer of an account wait for approvals; returns the number of a token that a person has made. */
    async limitByApprovals(accountUuid: string): Promise<number> {
      const limits = { ...NO_LIMITS, approvals: { aboveCents: 0, count: 1, expiresHours: 72 } }
      await sql('insert into account_limits (account_uuid, limits) values (?, ?::jsonb)', [
        accountUuid,
        JSON.stringify(limits),
      ])
      await createToken(orm.em.fork(), { accountUuid, name: 'of ana', mode: 'test', author: 'ana' })
      const [token] = await sql<{ number: number }>('select number from token where account_uuid = ?', [
        accountUuid,
      ])
      return token!.number
    },
    /** Adds an opening balance at a connection. */
    async fund(connectionUuid: string, cents: number): Promise<void> {
      const em = orm.em.fork()
      await postOpeningBalance(em, await em.findOneOrFail(Connection, connectionUuid), cents)
    },
    transferInput(
      { accountUuid, connectionUuid }: { accountUuid: string; connectionUuid: string },
      more: Partial<TransferInput> = {},
      moreDetails: Partial<TransferInputDetails> = {},
    ): TransferInput {
      const details = {
        destination: keyDestination('fornecedor@exemplo.com.br'),
        fingerprint: 'f',
        ...moreDetails,
      }
      return {
        uuid: randomUUID(),
        accountUuid,
        candidates: [connectionUuid],
        valueCents: 500,
        details: seal.seal(details),
        requestId: 'r',
        timeScale: 1,
        ...more,
      }
    },
    async readBalances(accountUuid: string): Promise<Record<string, number>> {
      const rows = await sql<{ bucket: string; cents: string }>(
        'select bucket, cents from balance where account_uuid = ? and cents <> 0',
        [accountUuid],
      )
      return Object.fromEntries(rows.map(row => [row.bucket, Number(row.cents)]))
    },
    async close() {
      lockOrder.stop()
      await orm.close()
      const violations = lockOrder.violations.slice(0, 5)
      if (violations.length > 0) throw new Error(`locked ${violations.join('; ')}`)
    },
  }
}
