import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { issueToken, openAccount, revokeTokens } from '../admin/accounts.ts'
import { bookOpeningBalance, connect, registerNotices } from '../admin/connections.ts'
import { replaceDefaults } from '../db/defaults.ts'
import { Account } from '../db/entities/account.ts'
import { Connection } from '../db/entities/connection.ts'
import { type EntityManager, migrate, openOrm } from '../db/orm.ts'
import { type FeeTable, NO_FEES } from '../domain/money.ts'
import {
  type ConnectionType,
  type Dialect,
  type Party,
  PROVIDER_NAMES,
  type ProviderName,
} from '../domain/provider.ts'
import { type ProviderRegistry, providerRegistry } from '../providers/registry.ts'
import { type Sealer, sealer } from '../sealing.ts'
import { type SimulatorClient, simulatorClient } from '../simulator/client.ts'
import type { SimulatorFacts } from '../simulator/server.ts'
import { credentialsOf, freshLogin, freshSignIns, loginOf, type SignIn } from './demo-logins.ts'

/** What the simulator says of itself in `simulator.json`. */
export type { SimulatorFacts as SimulatorInfo } from '../simulator/server.ts'

/** A local start's account, as `local.json` shows it. */
export type DemoResult = {
  account_uuid: string
  token: string
  providers: Record<ProviderName, { uuid: string; token: string }>
  recipient_accounts: { uuid: string; name: string; token: string }[]
  dashboard: SignIn
  operator: SignIn
}

export type DemoOptions = {
  databaseUrl: string
  secretKeys: string
  simulator: SimulatorFacts
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
const TYPES: Record<ProviderName, ConnectionType> = {
  PROVIDER_A: 'NOMINAL',
  PROVIDER_B: 'NOMINAL',
  PROVIDER_C: 'POOL',
  PROVIDER_D: 'NOMINAL',
}
/** As the service speaks to them: A by Efí's API, B by Woovi's; C and D could be either. */
const DIALECTS: Record<ProviderName, Dialect> = {
  PROVIDER_A: 'efi',
  PROVIDER_B: 'woovi',
  PROVIDER_C: 'efi',
  PROVIDER_D: 'efi',
}
const FEES: Partial<Record<ProviderName, FeeTable>> = {
  PROVIDER_B: { ...NO_FEES, charge: { fixedCents: 10, hundredthsOfPercent: 99 } },
}

type Site = {
  em: EntityManager
  seal: Sealer
  far: SimulatorClient
  providers: ProviderRegistry
} & DemoOptions

/** Brings the schema up to date and gives the demo account what it lacks; its tokens are new at every start. */
export async function setUpDemo(options: DemoOptions): Promise<DemoResult> {
  const orm = await openOrm({ databaseUrl: options.databaseUrl })
  const far = simulatorClient(options.simulator.url, options.simulator.ca_file)
  const seal = sealer(options.secretKeys)
  const providers = providerRegistry({
    open: seal.open,
    timeoutMs: 10_000,
    ca: await readFile(options.simulator.ca_file, 'utf8'),
  })
  try {
    await migrate(options.databaseUrl)
    return await furnish({ ...options, em: orm.em.fork(), seal, far, providers })
  } finally {
    await Promise.all([providers.close(), far.close(), orm.close()])
  }
}

async function furnish(site: Site): Promise<DemoResult> {
  const { em } = site
  const { merchant, connections } = await merchantWithConnections(site)
  for (const connection of connections) await reconnect(site, connection)
  return {
    account_uuid: merchant.uuid,
    token: await freshToken(em, merchant.uuid),
    providers: await scopedTokens(em, connections),
    recipient_accounts: await Promise.all(RECIPIENTS.map(holder => recipient(site, holder, connections))),
    ...(await freshSignIns(em, merchant.uuid)),
  }
}

/** With its money and its defaults, whole or not at all: a start may end half-way, and the next one trusts what it finds. */
function merchantWithConnections(site: Site): Promise<{ merchant: Account; connections: Connection[] }> {
  return site.em.transactional(async em => {
    const merchant = (await em.findOne(Account, MERCHANT)) ?? (await openAccount(em, MERCHANT))
    const { uuid: accountUuid } = merchant
    const known = await em.find(Connection, { accountUuid }, { populate: ['sealedCredentials'] })
    const connections: Connection[] = []
    for (const name of PROVIDER_NAMES) {
      const found = known.find(connection => connection.provider === name)
      connections.push(found ?? (await firstConnection({ ...site, em }, merchant, name)))
    }
    if (known.length === 0) await prefer(em, merchant, connections)
    return { merchant, connections }
  })
}

async function firstConnection(site: Site, merchant: Account, provider: ProviderName): Promise<Connection> {
  const dialect = DIALECTS[provider]
  const login = freshLogin(`demo-${provider.toLowerCase()}`)
  const connection = await connect(site.em, site.seal, {
    accountUuid: merchant.uuid,
    provider,
    providerAccount: login.client_id,
    dialect,
    type: TYPES[provider],
    isSimulated: true,
    baseUrl: site.simulator.providers[provider].base_url,
    credentials: credentialsOf(dialect, login),
    collectionKey: randomUUID(),
    fees: FEES[provider] ?? NO_FEES,
    virtualAccount: virtualAccountOf(merchant, provider),
    settleWindowMs: SETTLE_WINDOW_MS,
  })
  await bookOpeningBalance(site.em, connection, OPENING_BALANCE_CENTS)
  return connection
}

/** Makes the simulated account what the connection expects; ports may have moved since the start before. */
async function reconnect(site: Site, connection: Connection): Promise<void> {
  const { dialect } = connection
  const login = loginOf(dialect, site.seal.open(connection.sealedCredentials))
  await site.far.account(login.client_id, {
    provider: connection.provider,
    dialect,
    ...login,
    holder: MERCHANT,
    city: 'SAO PAULO',
    ispb: ISPB[connection.provider],
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
  await registerNotices({ providers: site.providers, publicUrl: site.publicUrl }, connection)
}

/** An account that takes splits: connected to the same provider accounts as the merchant. */
async function recipient(site: Site, holder: { name: string; document: string }, merchants: Connection[]) {
  const account = await site.em.fork().transactional(async em => {
    const account = (await em.findOne(Account, holder)) ?? (await openAccount(em, holder))
    const known = await em.find(Connection, { accountUuid: account.uuid })
    const lacking = merchants.filter(
      one => !known.some(has => has.providerAccountUuid === one.providerAccountUuid),
    )
    const connected: Connection[] = []
    for (const theirs of lacking) connected.push(await sharing({ ...site, em }, account, theirs))
    if (known.length === 0) await prefer(em, account, connected)
    return account
  })
  return { uuid: account.uuid, name: account.name, token: await freshToken(site.em.fork(), account.uuid) }
}

function sharing({ em, seal }: Site, { uuid }: Account, theirs: Connection): Promise<Connection> {
  return connect(em, seal, {
    accountUuid: uuid,
    provider: theirs.provider,
    providerAccount: `demo-${theirs.provider.toLowerCase()}`,
    dialect: theirs.dialect,
    type: 'POOL',
    isSimulated: true,
    baseUrl: theirs.baseUrl,
    credentials: seal.open(theirs.sealedCredentials),
    collectionKey: theirs.collectionKey ?? null,
    settleWindowMs: SETTLE_WINDOW_MS,
  })
}

function prefer(em: EntityManager, { uuid }: Account, connections: Connection[]): Promise<void> {
  return replaceDefaults(
    em,
    { accountUuid: uuid },
    connections.map(connection => connection.uuid),
  )
}

async function freshToken(em: EntityManager, accountUuid: string): Promise<string> {
  await revokeTokens(em, { accountUuid, name: TOKEN_NAME })
  return issueToken(em, { accountUuid, name: TOKEN_NAME, mode: 'test' })
}

async function scopedTokens(em: EntityManager, connections: Connection[]): Promise<DemoResult['providers']> {
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

const ISPB: Record<ProviderName, string> = {
  PROVIDER_A: '09089356',
  PROVIDER_B: '54811417',
  PROVIDER_C: '32402502',
  PROVIDER_D: '13140088',
}

function virtualAccountOf(holder: { name: string; document: string }, provider: ProviderName): Party {
  return {
    ...holder,
    account_number: '1234567',
    account_agency: '0001',
    bank: { code: '', name: `Banco ${provider.at(-1)}`, ispb: ISPB[provider] },
    account_type: 'PAYMENT',
  }
}
