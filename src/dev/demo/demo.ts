import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createAccount, issueToken, revokeTokens } from '../../admin/accounts.ts'
import { createConnection, postOpeningBalance, registerNotificationUrl } from '../../admin/connections.ts'
import { migrate } from '../../db/client/migrate.ts'
import { type EntityManager, openOrm } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import { Connection } from '../../db/entities/connection.ts'
import { replaceDefaultConnections } from '../../db/repositories/default-providers.ts'
import { type FeeTable, NO_FEES } from '../../domain/ledger/money.ts'
import {
  type ConnectionType,
  type Party,
  PROVIDER_NAMES,
  type ProviderApi,
  type ProviderName,
} from '../../domain/providers/provider.ts'
import { createProviderRegistry, type ProviderRegistry } from '../../providers/registry.ts'
import { createSealer, type Sealer } from '../../security/sealing.ts'
import { createSimulatorClient, type SimulatorClient } from '../../simulator/control/client.ts'
import type { SimulatorInfo } from '../../simulator/server.ts'
import {
  type DashboardLogin,
  fromProviderCredentials,
  generateSimulatorLogin,
  resetDashboardLogins,
  toProviderCredentials,
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

/** What each demo connection is: one of them shared, one of them with fees. */
const CONNECTION_TYPES: Record<ProviderName, ConnectionType> = {
  PROVIDER_A: 'NOMINAL',
  PROVIDER_B: 'NOMINAL',
  PROVIDER_C: 'POOL',
  PROVIDER_D: 'NOMINAL',
}
/** As the service speaks to them: A by Efí's API, B by Woovi's; C and D could be either. */
const DEMO_PROVIDER_APIS: Record<ProviderName, ProviderApi> = {
  PROVIDER_A: 'efi',
  PROVIDER_B: 'woovi',
  PROVIDER_C: 'efi',
  PROVIDER_D: 'efi',
}
const DEMO_FEES: Partial<Record<ProviderName, FeeTable>> = {
  PROVIDER_B: { ...NO_FEES, charge: { fixedCents: 10, hundredthsOfPercent: 99 } },
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
  const far = createSimulatorClient(options.simulator.url, options.simulator.ca_file)
  const seal = createSealer(options.secretKeys)
  const providers = createProviderRegistry({
    openCredentials: seal.open,
    timeoutMs: 10_000,
    ca: await readFile(options.simulator.ca_file, 'utf8'),
  })
  try {
    await migrate(options.databaseUrl)
    return await createDemoData({ ...options, em: orm.em.fork(), seal, simulatorClient: far, providers })
  } finally {
    await Promise.all([providers.close(), far.close(), orm.close()])
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
    recipient_accounts: await Promise.all(
      RECIPIENTS.map(holder => ensureRecipient(site, holder, connections)),
    ),
    ...(await resetDashboardLogins(em, merchant.uuid)),
  }
}

/** With its money and its defaults, whole or not at all: a start may end half-way, and the next one trusts what it finds. */
function ensureMerchantWithConnections(
  site: DemoContext,
): Promise<{ merchant: Account; connections: Connection[] }> {
  return site.em.transactional(async em => {
    const merchant = (await em.findOne(Account, MERCHANT)) ?? (await createAccount(em, MERCHANT))
    const { uuid: accountUuid } = merchant
    const existing = await em.find(Connection, { accountUuid }, { populate: ['sealedCredentials'] })
    const connections: Connection[] = []
    for (const name of PROVIDER_NAMES) {
      const found = existing.find(connection => connection.provider === name)
      connections.push(found ?? (await createDemoConnection({ ...site, em }, merchant, name)))
    }
    if (existing.length === 0) await setDefaultConnections(em, merchant, connections)
    return { merchant, connections }
  })
}

async function createDemoConnection(
  site: DemoContext,
  merchant: Account,
  provider: ProviderName,
): Promise<Connection> {
  const dialect = DEMO_PROVIDER_APIS[provider]
  const login = generateSimulatorLogin(`demo-${provider.toLowerCase()}`)
  const connection = await createConnection(site.em, site.seal, {
    accountUuid: merchant.uuid,
    provider,
    providerAccount: login.client_id,
    dialect,
    type: CONNECTION_TYPES[provider],
    isSimulated: true,
    baseUrl: site.simulator.providers[provider].base_url,
    credentials: toProviderCredentials(dialect, login),
    collectionKey: randomUUID(),
    fees: DEMO_FEES[provider] ?? NO_FEES,
    virtualAccount: buildVirtualAccount(merchant, provider),
    settleWindowMs: SETTLE_WINDOW_MS,
  })
  await postOpeningBalance(site.em, connection, OPENING_BALANCE_CENTS)
  return connection
}

/** Makes the simulated account what the connection expects; ports may have moved since the start before. */
async function updateSimulatedAccount(site: DemoContext, connection: Connection): Promise<void> {
  const { dialect } = connection
  const login = fromProviderCredentials(dialect, site.seal.open(connection.sealedCredentials))
  await site.simulatorClient.putAccount(login.client_id, {
    provider: connection.provider,
    dialect,
    ...login,
    holder: MERCHANT,
    city: 'SAO PAULO',
    ispb: ISPB_BY_PROVIDER[connection.provider],
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
}

/** An account that takes splits: connected to the same provider accounts as the merchant. */
async function ensureRecipient(
  site: DemoContext,
  holder: { name: string; document: string },
  merchants: Connection[],
) {
  const account = await site.em.fork().transactional(async em => {
    const account = (await em.findOne(Account, holder)) ?? (await createAccount(em, holder))
    const existing = await em.find(Connection, { accountUuid: account.uuid })
    const lacking = merchants.filter(
      one => !existing.some(has => has.providerAccountUuid === one.providerAccountUuid),
    )
    const connected: Connection[] = []
    for (const original of lacking)
      connected.push(await connectSharedAccount({ ...site, em }, account, original))
    if (existing.length === 0) await setDefaultConnections(em, account, connected)
    return account
  })
  return { uuid: account.uuid, name: account.name, token: await reissueToken(site.em.fork(), account.uuid) }
}

function connectSharedAccount(
  { em, seal }: DemoContext,
  { uuid }: Account,
  original: Connection,
): Promise<Connection> {
  return createConnection(em, seal, {
    accountUuid: uuid,
    provider: original.provider,
    providerAccount: `demo-${original.provider.toLowerCase()}`,
    dialect: original.dialect,
    type: 'POOL',
    isSimulated: true,
    baseUrl: original.baseUrl,
    credentials: seal.open(original.sealedCredentials),
    collectionKey: original.collectionKey ?? null,
    settleWindowMs: SETTLE_WINDOW_MS,
  })
}

function setDefaultConnections(
  em: EntityManager,
  { uuid }: Account,
  connections: Connection[],
): Promise<void> {
  return replaceDefaultConnections(
    em,
    { accountUuid: uuid },
    connections.map(connection => connection.uuid),
  )
}

async function reissueToken(em: EntityManager, accountUuid: string): Promise<string> {
  await revokeTokens(em, { accountUuid, name: TOKEN_NAME })
  return issueToken(em, { accountUuid, name: TOKEN_NAME, mode: 'test' })
}

async function issueConnectionTokens(
  em: EntityManager,
  connections: Connection[],
): Promise<DemoResult['providers']> {
  const pairs = []
  for (const { uuid, accountUuid, provider } of connections)
    pairs.push([
      provider,
      {
        uuid,
        token: await issueToken(em, { accountUuid, connectionUuid: uuid, name: TOKEN_NAME, mode: 'test' }),
      },
    ])
  return Object.fromEntries(pairs)
}

const ISPB_BY_PROVIDER: Record<ProviderName, string> = {
  PROVIDER_A: '09089356',
  PROVIDER_B: '54811417',
  PROVIDER_C: '32402502',
  PROVIDER_D: '13140088',
}

function buildVirtualAccount(holder: { name: string; document: string }, provider: ProviderName): Party {
  return {
    ...holder,
    account_number: '1234567',
    account_agency: '0001',
    bank: { code: '', name: `Banco ${provider.at(-1)}`, ispb: ISPB_BY_PROVIDER[provider] },
    account_type: 'PAYMENT',
  }
}
