import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Dependencies } from '../../../src/activities/dependencies.ts'
import { providerActivities, recordActivities } from '../../../src/activities/index.ts'
import { openAccount } from '../../../src/admin/accounts.ts'
import { bookOpeningBalance, connect } from '../../../src/admin/connections.ts'
import { openOrm } from '../../../src/db/orm.ts'
import type { Engine } from '../../../src/engine/start.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { sealer } from '../../../src/sealing.ts'
import type { TransferDetails, TransferOrder } from '../../../src/workflows/messages.ts'
import { newDatabase } from '../../support/database.ts'

type Life = { workflowId: string }

/** The activities over a database of their own and a provider that answers as a test tells it: no life, no network. */
export async function openBooks() {
  const databaseUrl = await newDatabase()
  const orm = await openOrm({ databaseUrl })
  const seal = sealer(`a:${Buffer.alloc(32, 7).toString('base64')}`)
  const far: Partial<Provider> = {
    openAhead: () => {},
    balances: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer in time' }),
  }
  const told: string[] = []
  const dependencies = {
    orm,
    sealer: seal,
    timeScale: 1,
    log: pino({ level: 'silent' }),
    providers: { providerFor: () => far as Provider, close: async () => {} },
  } as unknown as Dependencies
  const engine = {
    client: async () => ({
      workflow: { signalWithStart: async (_: string, life: Life) => told.push(life.workflowId) },
    }),
    ...{ taskQueue: 'books', timeScale: 1 },
  } as unknown as Engine
  const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
    orm.em.fork().execute(query, values)

  const connected = (accountUuid: string, pool?: string) =>
    connect(orm.em.fork(), seal, {
      ...{ accountUuid, provider: 'PROVIDER_A', providerAccount: pool ?? randomUUID(), dialect: 'efi' },
      ...{ type: pool === undefined ? 'NOMINAL' : 'POOL', isSimulated: true },
      ...{ baseUrl: 'https://far.test', credentials: {}, collectionKey: randomUUID() },
    })

  return {
    databaseUrl,
    sql,
    seal,
    dependencies,
    engine,
    orm,
    /** What the provider answers from now on. */
    provider: (answers: Partial<Provider>) => Object.assign(far, answers),
    records: recordActivities(dependencies),
    providers: providerActivities(dependencies, engine),
    /** The lives that were told to ask, by their ids. */
    told,

    /** An account with one connection and so much money there; where a pool is named, it shares it with others. */
    async merchant(cents: number, pool?: string) {
      const { uuid: accountUuid } = await openAccount(orm.em.fork(), {
        name: 'Loja',
        document: '11222333000181',
      })
      const connection = await connected(accountUuid, pool)
      if (cents > 0) await bookOpeningBalance(orm.em.fork(), connection, cents)
      return { accountUuid, connectionUuid: connection.uuid }
    },
    /** One more provider for it. */
    async connection({ accountUuid }: { accountUuid: string }): Promise<string> {
      return (await connected(accountUuid)).uuid
    },
    transferOrder(
      { accountUuid, connectionUuid }: { accountUuid: string; connectionUuid: string },
      more: Partial<TransferOrder> = {},
      moreDetails: Partial<TransferDetails> = {},
    ): TransferOrder {
      const details = { pixKey: 'fornecedor@exemplo.com.br', fingerprint: 'f', ...moreDetails }
      return {
        ...{ uuid: randomUUID(), accountUuid, candidates: [connectionUuid], valueCents: 500 },
        ...{ details: seal.seal(details), requestId: 'r', timeScale: 1 },
        ...more,
      }
    },
    async balances(accountUuid: string): Promise<Record<string, number>> {
      const rows = await sql<{ bucket: string; cents: string }>(
        'select bucket, cents from balance where account_uuid = ? and cents <> 0',
        [accountUuid],
      )
      return Object.fromEntries(rows.map(row => [row.bucket, Number(row.cents)]))
    },
    async close() {
      await orm.close()
    },
  }
}
