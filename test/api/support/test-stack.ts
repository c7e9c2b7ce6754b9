import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client, Connection as Temporal } from '@temporalio/client'
import { createSimulatedCredentials } from '../../../packages/dev/demo/demo-logins.ts'
import type { LocalInfo } from '../../../packages/dev/env/local-info.ts'
import { resolveStateDir, type StateDir, tryReadJsonFile } from '../../../packages/dev/env/state-dir.ts'
import { createSimulatorClient, type InboxMessage } from '../../../packages/simulator/control/client.ts'
import { createAccount } from '../../../src/admin/accounts.ts'
import {
  createConnection,
  postOpeningBalance,
  registerNotificationUrl,
} from '../../../src/admin/connections.ts'
import { checkProviderBalances } from '../../../src/admin/ledger-check.ts'
import { createToken, type IssueTokenInput } from '../../../src/admin/tokens.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { replaceDefaultConnections } from '../../../src/db/repositories/connections.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { type FeeTable, NO_FEES } from '../../../src/domain/ledger/money.ts'
import { showEndToEndId } from '../../../src/domain/pix/identifiers.ts'
import type { ProviderApi, ProviderName } from '../../../src/domain/providers/provider.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { createEfiClient } from '../../simulator/support/efi-client.ts'
import { openTestOrm } from '../../support/orm.ts'
import { createApiClient } from './client.ts'
import { createContract } from './contract.ts'
import { pollUntil } from './poll-until.ts'
import { HOME_VARIABLE } from './shared-stack.ts'

export type TestStack = Awaited<ReturnType<typeof openTestStack>>

/** The stack that the suites of this project share, with its test clients. */
export async function openSharedTestStack(): Promise<TestStack> {
  const folder = process.env[HOME_VARIABLE]
  if (!folder) throw new Error('The shared stack does not run: start the tests through `npm test`.')
  const stage = await openTestStack(resolveStateDir(folder))
  return {
    ...stage,
    async close() {
      await stage.excludeFromChecks()
      await stage.close()
    },
  }
}

export type MerchantOptions = {
  /** By default one, of PROVIDER_A. */
  providers?: ProviderOptions[]
  unmatchedPolicy?: 'refund' | 'keep'
  /** The holder's CNPJ, where the test needs a certain one. */
  document?: string
}
/** The fees, zero where not given, and the properties of the provider. */
export type ProviderOptions = Partial<FeeTable> & {
  provider?: ProviderName
  dialect?: ProviderApi
  /** Reais that it holds for the account from the start. */
  balance?: number
  /** False: every notification of it is lost. */
  sendsNotifications?: boolean
}

export type Merchant = Awaited<ReturnType<TestStack['createMerchant']>>

/** A running stack with clients of its API, database and simulator; each test creates merchants of its own. */
export async function openTestStack(home: StateDir) {
  const local = (await tryReadJsonFile<LocalInfo>(home.localInfo))!
  const [secretKey, ca] = await Promise.all([
    readFile(home.secretKey, 'utf8'),
    readFile(home.simulatorCa, 'utf8'),
  ])
  const simulatorFacts = (await tryReadJsonFile<{ providers: Record<ProviderName, { base_url: string }> }>(
    `${home.simulator}/simulator.json`,
  ))!
  const seal = createSealer(secretKey.trim())
  const orm = await openTestOrm({ databaseUrl: local.database_url, poolSize: 5 })
  const simulator = createSimulatorClient(local.simulator_url, home.simulatorCa)
  const providers = createProviderRegistry({ openCredentials: seal.open, timeoutMs: 10_000, ca })
  // The first request generates the document: on a busy machine not within a request's deadline.
  const document = await pollUntil(
    () => fetch(`${local.api_url}/openapi.json`),
    ({ ok }) => ok,
  )
  const contract = createContract(await document.json())
  const api = createApiClient({ url: local.api_url, token: local.token, contract })
  let temporal: Temporal | undefined
  const accountUuids: string[] = []

  const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
    orm.em.fork().execute(query, values)
  const token = (order: Partial<IssueTokenInput> & { accountUuid: string }) =>
    createToken(orm.em.fork(), { name: 'suite', mode: 'test', ...order })

  async function provided(
    accountUuid: string,
    { holder, ...options }: ProviderOptions & { holder: typeof HOLDER },
  ) {
    const {
      provider = 'PROVIDER_A',
      dialect = 'efi',
      balance = 0,
      sendsNotifications: tells = true,
      ...fees
    } = options
    const name = `suite-${randomUUID()}`
    const { login, credentials } = await createSimulatedCredentials(simulator, dialect, name)
    const collectionKey = randomUUID()
    await simulator.putAccount(name, {
      ...login,
      provider,
      dialect,
      holder,
      city: 'SAO PAULO',
      ispb: ISPB,
      keys: [collectionKey],
      balance,
    })
    const connection = await createConnection(orm.em.fork(), seal, {
      accountUuid,
      provider,
      providerAccount: name,
      dialect,
      type: 'NOMINAL',
      isSimulated: true,
      baseUrl: simulatorFacts.providers[provider].base_url,
      credentials,
      collectionKey,
      fees: { ...NO_FEES, ...fees },
      virtualAccount: VIRTUAL_ACCOUNT,
      settleWindowMs: 5_000,
    })
    if (balance > 0) await postOpeningBalance(orm.em.fork(), connection, Math.round(balance * 100))
    if (tells) await registerNotificationUrl({ providers, publicUrl: local.api_url }, connection)
    return {
      uuid: connection.uuid,
      provider,
      /** Its name at the simulator, and at us. */
      account: name,
      providerAccountUuid: connection.providerAccountUuid,
      collectionKey,
      credentials: login,
      token: await token({ accountUuid, connectionUuid: connection.uuid }),
    }
  }

  const stage = {
    local,
    home,
    orm,
    sql,
    token,
    simulator,
    contract,
    api,
    ca,
    seal,
    /** Where the simulated providers listen. */
    providerUrls: Object.values(simulatorFacts.providers).map(({ base_url }) => base_url),

    /** An account of one test, for which nothing else was done: no connection, no token. Returns its UUID. */
    async createEmptyAccount(holder = HOLDER) {
      const { uuid } = await createAccount(orm.em.fork(), holder)
      accountUuids.push(uuid)
      return uuid
    },

    /** Connects an account to simulated provider accounts of its own, which become its defaults. */
    async connectProviders(accountUuid: string, wanted: ProviderOptions[] = [{}], holder = HOLDER) {
      const connections = []
      for (const options of wanted) connections.push(await provided(accountUuid, { ...options, holder }))
      await replaceDefaultConnections(
        orm.em.fork(),
        { accountUuid },
        connections.map(connection => connection.uuid),
      )
      return connections
    },

    /** An account of one test, connected to simulated accounts of its own. */
    async createMerchant({
      providers: wanted = [{}],
      unmatchedPolicy = 'refund',
      document = HOLDER.document,
    }: MerchantOptions = {}) {
      const holder = { ...HOLDER, document }
      const uuid = await stage.createEmptyAccount(holder)
      await sql('update account set unmatched_policy = ? where uuid = ?', [unmatchedPolicy, uuid])
      const connections = await stage.connectProviders(uuid, wanted, holder)
      const all = await token({ accountUuid: uuid })
      return { uuid, connections, connection: connections[0]!, token: all, api: api.withToken(all) }
    },

    /** Another account that can receive splits of what a merchant's provider accounts receive. */
    async createRecipient(
      of: { connections: { uuid: string; account: string }[] },
      name = 'Recebedor de Teste',
    ) {
      const em = orm.em.fork()
      const { uuid } = await createAccount(em, { name, document: '52998224725' })
      accountUuids.push(uuid)
      for (const { uuid: theirs, account } of of.connections) {
        const { provider, baseUrl, sealedCredentials, collectionKey } = await em.findOneOrFail(
          Connection,
          theirs,
          { populate: ['sealedCredentials'] },
        )
        await createConnection(em, seal, {
          accountUuid: uuid,
          provider,
          providerAccount: account,
          baseUrl,
          dialect: 'efi',
          type: 'POOL',
          isSimulated: true,
          credentials: seal.open(sealedCredentials),
          collectionKey: collectionKey ?? null,
        })
      }
      const global = await token({ accountUuid: uuid })
      return { uuid, name, token: global, api: api.withToken(global) }
    },

    /** The messages of an inbox, each event once: an event whose delivery ended without an answer arrives again. */
    async listEvents(inbox: string): Promise<InboxMessage[]> {
      const byId = new Map<string, InboxMessage>()
      for (const message of await simulator.listInbox(inbox)) {
        const id = message.headers['webhook-id'] as string
        if (!byId.has(id)) byId.set(id, message)
      }
      return [...byId.values()]
    },

    /** Balances in centavos of an account at one provider account, without empty buckets. */
    async readBalances(accountUuid: string, providerAccountUuid: string): Promise<Record<string, number>> {
      const rows = await sql<{ bucket: string; cents: string }>(
        `select bucket, cents from balance
         where account_uuid = ? and provider_account_uuid = ? and cents <> 0 order by bucket`,
        [accountUuid, providerAccountUuid],
      )
      return Object.fromEntries(rows.map(row => [row.bucket, Number(row.cents)]))
    },

    /**
     * Waits until the ledger of a merchant agrees with the provider: by itself, its sums with the provider's balance,
     * and each line of the provider's statement with one movement of ours.
     */
    async waitUntilLedgerAgrees({ connections }: { connections: ComparedConnection[] }) {
      const em = orm.em.fork()
      const mine = [...new Set(connections.map(({ providerAccountUuid }) => providerAccountUuid))]
      const faults = async () => [
        ...(await checkLedger(em)),
        ...(await checkProviderBalances(em.fork(), providers, mine)),
        ...(await findStatementFaults(connections)),
      ]
      await pollUntil(faults, found => found.length === 0, { everyMs: 200 })
    },

    /** Calls the simulated provider's API as one of its customers; with a body by PUT. */
    async callEfi(
      of: { provider: ProviderName; credentials: { client_id: string; client_secret: string } },
      path: string,
      body?: object,
    ): Promise<unknown> {
      const { client_id, client_secret } = of.credentials
      const efi = createEfiClient(simulatorFacts.providers[of.provider].base_url, {
        ca,
        client_id,
        client_secret,
      })
      try {
        return (await (body ? efi.put(path, body) : efi.get(path))).body
      } finally {
        await efi.close()
      }
    },

    async connectTemporal(): Promise<Client> {
      temporal ??= await Temporal.connect({ address: local.temporal_address })
      return new Client({ connection: temporal })
    },

    /**
     * Stops all background calls of providers until it is resumed: a test that counts handshakes or refusals of a
     * provider must be its only caller.
     */
    async pauseProviderSchedules(): Promise<() => Promise<void>> {
      const client = await stage.connectTemporal()
      const rounds = ['med-sweep', 'reconciliation'].map(id => client.schedule.getHandle(id))
      await Promise.all(rounds.map(round => round.pause('a story counts calls')))
      for (const round of rounds)
        await pollUntil(
          () => round.describe(),
          ({ info }) => info.runningActions.length === 0,
        )
      return async () => {
        await Promise.all(rounds.map(round => round.unpause()))
      }
    },

    /** For the accounts of tests that are over: each one makes reconciliations and checks of all accounts longer. */
    async excludeFromChecks() {
      if (accountUuids.length > 0)
        await sql(
          `update connection set status = 'CONFIGURATION_PENDING' where account_uuid = any(array[?]::uuid[])`,
          [accountUuids],
        )
    },

    async close() {
      await Promise.all([orm.close(), simulator.close(), providers.close(), temporal?.close()])
    },
  }
  return stage

  /** Compares the settled lines at the providers with our movements, line by line. */
  async function findStatementFaults(connections: ComparedConnection[]): Promise<string[]> {
    if (connections.length === 0) return []
    const accountsByUuid = new Map(
      connections.map(({ providerAccountUuid, account }) => [providerAccountUuid, account]),
    )
    const accounts = new Set(accountsByUuid.values())
    // Each statement holds the lines of all accounts, and some suites have a hundred: read once for all of them.
    const providerNames = [...new Set(connections.map(({ provider }) => provider))]
    const statements = await Promise.all(providerNames.map(provider => simulator.listStatement(provider)))
    const rows = await sql<{ account: string; end_to_end: string; movement_type: string; cents: string }>(
      `select provider_account_uuid as account, end_to_end, movement_type, value_cents as cents from movement
       where provider_account_uuid = any(array[?]::uuid[]) and end_to_end is not null and status = 'SETTLED'`,
      [[...accountsByUuid.keys()]],
    )
    const settled = statements
      .flat()
      .filter(({ account }) => accounts.has(account))
      .map(
        line =>
          `${line.account} ${line.shown_id} ${INCOMING_KINDS.has(line.kind) ? 'IN' : 'OUT'} ${Math.round(line.value * 100)}`,
      )
    const written = rows.map(
      row =>
        `${accountsByUuid.get(row.account)} ${showEndToEndId(row.end_to_end) || row.end_to_end} ${row.movement_type} ${row.cents}`,
    )
    const timesWritten = Map.groupBy(written, row => row)
    const settledSet = new Set(settled)
    return [
      ...settled.filter(line => timesWritten.get(line)?.length !== 1).map(line => `not once here: ${line}`),
      ...written.filter(row => !settledSet.has(row)).map(row => `not there: ${row}`),
    ]
  }
}

/** A connection, by its account at the provider and at us. */
type ComparedConnection = { provider: ProviderName; account: string; providerAccountUuid: string }

const INCOMING_KINDS = new Set(['payment', 'deposit', 'return'])
const ISPB = '09089356'
const HOLDER = { name: 'Loja de Teste Ltda', document: '11222333000181' }
export const VIRTUAL_ACCOUNT = {
  ...HOLDER,
  account_number: '1234567',
  account_agency: '0001',
  bank: { code: '', name: 'Banco de Teste', ispb: ISPB },
  account_type: 'PAYMENT' as const,
}
