import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createAccount } from '../../../src/admin/accounts.ts'
import {
  createConnection,
  postOpeningBalance,
  registerNotificationUrl,
} from '../../../src/admin/connections.ts'
import { hashIdentity } from '../../../src/admin/provider-account.ts'
import { createToken } from '../../../src/admin/tokens.ts'
import { migrate } from '../../../src/db/client/migrate.ts'
import { type EntityManager, openOrm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Account } from '../../../src/db/entities/account.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { Token } from '../../../src/db/entities/token.ts'
import { replaceDefaultConnections } from '../../../src/db/repositories/connections.ts'
import { storeIdentities } from '../../../src/db/repositories/provider-account-identities.ts'
import { NO_FEES } from '../../../src/domain/ledger/money.ts'
import type { Party } from '../../../src/domain/pix/party.ts'
import { PROVIDER_NAMES, type ProviderName } from '../../../src/domain/providers/provider.ts'
import { createProviderRegistry, type ProviderRegistry } from '../../../src/providers/registry.ts'
import { createSealer, type Sealer } from '../../../src/security/sealing.ts'
import { createSimulatorClient, type SimulatorClient } from '../../simulator/control/client.ts'
import type { SimulatorInfo } from '../../simulator/server.ts'
import {
  createSimulatedCredentials,
  type DashboardLogin,
  readSimulatorLogin,
  resetDashboardLogins,
} from './demo-logins.ts'

/** What the simulator says of itself in `simulator.json`. */
export type { SimulatorInfo } from '../../simulator/server.ts'

/** A local start's account, as `local.json` shows it. */
export type DemoResult = {
  account_uuid: string
  token: string
  providers: Record<ProviderName, { uuid: string; token: string }>
  recipient_accounts: { uuid: string; name: string; token: string }[]
  dashboard: DashboardLogin
  operator: DashboardLogin
}

export type DemoOptions = {
  databaseUrl: string
  secretKeys: string
  simulator: SimulatorInfo
  publicUrl: string
}

const MERCHANT = { name: 'Padaria Trilho Ltda', document: '11222333000181' }
const RECIPIENTS = [
  { name: 'Fornecedor de Farinha Ltda', document: '12ABC34501DE35' },
  { name: 'Maria da Silva', document: '52998224725' },
]
const OPENING_BALANCE_CENTS = 100_000_000
/** Tokens of this name are issued anew with every start, and those of the start before revoked. */
const TOKEN_NAME = 'local start'
/** A simulator is sure after this long that a sending never arrived (SPEC §6). */
const SETTLE_WINDOW_MS = 5_000

/** What each demo connection is: A speaks Efí's API, B Woovi's, C Sicoob's, D Stark Bank's. C is shared, B has fees. */
const DEMO_CONNECTIONS: Record<
  ProviderName,
  Pick<Connection, 'dialect' | 'type' | 'fees'> & { ispb: string }
> = {
  PROVIDER_A: { dialect: 'efi', type: 'NOMINAL', fees: NO_FEES, ispb: '09089356' },
  PROVIDER_B: {
    dialect: 'woovi',
    type: 'NOMINAL',
    ispb: '54811417',
    fees: { ...NO_FEES, charge: { fixedCents: 10, hundredthsOfPercent: 99 } },
  },
  PROVIDER_C: { dialect: 'sicoob', type: 'POOL', fees: NO_FEES, ispb: '02038232' },
  PROVIDER_D: { dialect: 'stark', type: 'NOMINAL', fees: NO_FEES, ispb: '20018183' },
}

type DemoContext = {
  em: EntityManager
  seal: Sealer
  simulatorClient: SimulatorClient
  providers: ProviderRegistry
} & DemoOptions

/** Brings the schema up to date and gives the demo account what it lacks; its tokens are new at every start. */
export async function setUpDemo(options: DemoOptions): Promise<DemoResult> {
  const orm = await openOrm({ databaseUrl: options.databaseUrl })
  const simulatorClient = createSimulatorClient(options.simulator.url, options.simulator.ca_file)
  const seal = createSealer(options.secretKeys)
  const ca = await readFile(options.simulator.ca_file, 'utf8')
  const providers = createProviderRegistry({ openCredentials: seal.open, timeoutMs: 10_000, ca })
  try {
    await migrate(options.databaseUrl)
    return await createDemoData({ ...options, em: orm.em.fork(), seal, simulatorClient, providers })
  } finally {
    await Promise.all([providers.close(), simulatorClient.close(), orm.close()])
  }
}

async function createDemoData(site: DemoContext): Promise<DemoResult> {
  const { em } = site
  const { merchant, connections } = await ensureMerchantWithConnections(site)
  for (const connection of connections) await updateSimulatedAccount(site, connection)
  return {
    account_uuid: merchant.uuid,
    token: await reissueToken(em, merchant.uuid),
    providers: await issueConnectionTokens(em, connections),
    recipient_accounts: await Promise.all(RECIPIENTS.map(one => ensureRecipient(site, one, connections))),
    ...(await resetDashboardLogins(em, merchant.uuid)),
  }
}

/** With its money and its defaults, whole or not at all: a start may end half-way, and the next one trusts what it finds. */
function ensureMerchantWithConnections(
  site: DemoContext,
): Promise<{ merchant: Account; connections: Connection[] }> {
  return runInTransaction(site.em, async em => {
    const merchant = (await em.findOne(Account, MERCHANT)) ?? (await createAccount(em, MERCHANT))
    const { uuid: accountUuid } = merchant
    const existing = await em.find(Connection, { accountUuid }, { populate: ['sealedCredentials'] })
    const connections: Connection[] = []
    for (const name of PROVIDER_NAMES) {
      const found = existing.find(connection => connection.provider === name)
      connections.push(found ?? (await createDemoConnection({ ...site, em }, merchant, name)))
    }
    if (existing.length === 0) await preferConnections(em, connections)
    return { merchant, connections }
  })
}

async function createDemoConnection(site: DemoContext, merchant: Account, provider: ProviderName) {
  const { dialect, type, fees } = DEMO_CONNECTIONS[provider]
  const name = nameSimulatedAccount(provider)
  const { credentials } = await createSimulatedCredentials(site.simulatorClient, dialect, name)
  const connection = await createConnection(site.em, site.seal, {
    accountUuid: merchant.uuid,
    provider,
    dialect,
    type,
    fees,
    isSimulated: true,
    providerAccount: name,
    baseUrl: site.simulator.providers[provider].base_url,
    credentials,
    collectionKey: randomUUID(),
    virtualAccount: buildVirtualAccount(merchant, provider),
    settleWindowMs: SETTLE_WINDOW_MS,
  })
  await postOpeningBalance(site.em, connection, OPENING_BALANCE_CENTS)
  return connection
}

/** Makes the simulated account what the connection expects; ports may have moved since the start before. */
async function updateSimulatedAccount(site: DemoContext, connection: Connection): Promise<void> {
  const { dialect } = connection
  const login = readSimulatorLogin(dialect, site.seal.open(connection.sealedCredentials))
  await site.simulatorClient.putAccount(nameSimulatedAccount(connection.provider), {
    provider: connection.provider,
    dialect,
    ...login,
    holder: MERCHANT,
    city: 'SAO PAULO',
    ispb: DEMO_CONNECTIONS[connection.provider].ispb,
    keys: [connection.collectionKey!],
    balance: OPENING_BALANCE_CENTS / 100,
    requires_certificate: false,
    amount_magic: false,
  })
  connection.baseUrl = site.simulator.providers[connection.provider].base_url
  await site.em.nativeUpdate(
    Connection,
    { providerAccountUuid: connection.providerAccountUuid },
    { baseUrl: connection.baseUrl },
  )
  await registerNotificationUrl({ providers: site.providers, publicUrl: site.publicUrl }, connection)
  const identity = await site.providers.providerFor(connection).identity()
  if (identity.kind !== 'found') throw new Error(`the simulator does not identify ${connection.provider}`)
  const { providerAccountUuid } = connection
  await storeIdentities(site.em, { providerAccountUuid, dialect, hashes: hashIdentity(identity) })
}

/** An account that takes splits: connected to the same provider accounts as the merchant. */
async function ensureRecipient(
  site: DemoContext,
  holder: { name: string; document: string },
  merchants: Connection[],
) {
  const account = await runInTransaction(site.em, async em => {
    const account = (await em.findOne(Account, holder)) ?? (await createAccount(em, holder))
    const existing = await em.find(Connection, { accountUuid: account.uuid })
    const known = new Set(existing.map(one => one.providerAccountUuid))
    const connected: Connection[] = []
    for (const original of merchants.filter(one => !known.has(one.providerAccountUuid)))
      connected.push(await connectSharedAccount({ ...site, em }, account, original))
    if (existing.length === 0) await preferConnections(em, connected)
    return account
  })
  return { uuid: account.uuid, name: account.name, token: await reissueToken(site.em.fork(), account.uuid) }
}

function connectSharedAccount({ em, seal }: DemoContext, { uuid }: Account, original: Connection) {
  const { provider, dialect, baseUrl } = original
  return createConnection(em, seal, {
    accountUuid: uuid,
    provider,
    dialect,
    baseUrl,
    isSimulated: true,
    type: 'POOL',
    providerAccount: nameSimulatedAccount(provider),
    credentials: seal.open(original.sealedCredentials),
    collectionKey: original.collectionKey ?? null,
    settleWindowMs: SETTLE_WINDOW_MS,
  })
}

/** Names the demo's account at a provider, there and here. */
function nameSimulatedAccount(provider: ProviderName): string {
  return `demo-${provider.toLowerCase()}`
}

/** Makes connections the default providers of their account. */
async function preferConnections(em: EntityManager, connections: Connection[]): Promise<void> {
  const { accountUuid } = connections[0]!
  const uuids = connections.map(connection => connection.uuid)
  await replaceDefaultConnections(em, { accountUuid }, uuids)
}

async function reissueToken(em: EntityManager, accountUuid: string): Promise<string> {
  const earlier = { accountUuid, name: TOKEN_NAME, revokedAt: null }
  await em.nativeUpdate(Token, earlier, { revokedAt: new Date() })
  return createToken(em, { accountUuid, name: TOKEN_NAME, mode: 'test' })
}

async function issueConnectionTokens(
  em: EntityManager,
  connections: Connection[],
): Promise<DemoResult['providers']> {
  const issued: Partial<DemoResult['providers']> = {}
  for (const { uuid, accountUuid, provider } of connections) {
    const order = { accountUuid, connectionUuid: uuid, name: TOKEN_NAME, mode: 'test' } as const
    issued[provider] = { uuid, token: await createToken(em, order) }
  }
  return issued as DemoResult['providers']
}

function buildVirtualAccount(
  { name, document }: { name: string; document: string },
  provider: ProviderName,
): Party {
  return {
    name,
    document,
    account_number: '1234567',
    account_agency: '0001',
    bank: { code: '', name: `Banco ${provider.at(-1)}`, ispb: DEMO_CONNECTIONS[provider].ispb },
    account_type: 'PAYMENT',
  }
}
