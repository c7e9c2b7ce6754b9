import { randomUUID } from 'node:crypto'
import { createSimulatedCredentials } from '../../packages/dev/demo/demo-logins.ts'
import type { AccountBody } from '../../packages/simulator/control/schemas.ts'
import { createAccount } from '../../src/admin/accounts.ts'
import { createConnection, postOpeningBalance, registerNotificationUrl } from '../../src/admin/connections.ts'
import { openProviderAccount, stateOpeningBalance } from '../../src/admin/opening-balance.ts'
import { createToken } from '../../src/admin/tokens.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { replaceDefaultConnections } from '../../src/db/repositories/connections.ts'
import { type FeeTable, MAX_CENTS, NO_FEES, reaisFromCents } from '../../src/domain/ledger/money.ts'
import type { ProviderApi, ProviderName } from '../../src/domain/providers/provider.ts'
import { SUBSCRIBABLE_EVENT_TYPES } from '../../src/domain/webhooks/webhook.ts'
import type { Mode } from './final-state.ts'
import type { StackClients } from './stack-clients.ts'

/** The participants of a storm: merchants with providers of their own, and recipients of splits. */
export type Merchant = {
  /** Of its account, which another merchant of the other mode may have as well. */
  uuid: string
  mode: Mode
  /** The endpoints of its webhooks, names in the simulator's inbox. */
  inboxes: string[]
  token: string
  /** Bound to the first of its connections. */
  boundToken: string
  /** Of the person who approves transfers. */
  approverToken: string
  /** Its server that must approve too what waits: a name in the simulator's inbox, and what it always says. */
  callout: { inbox: string; says: CalloutReply } | null
  connections: StormConnection[]
}
export type StormConnection = {
  uuid: string
  provider: ProviderName
  api: ProviderApi
  account: string
  collectionKey: string
}
export type StatementToken = { account: string; mode: Mode; token: string }
export type Participants = {
  merchants: Merchant[]
  recipients: { uuid: string; tokens: StatementToken[] }[]
  /** The codes of other banks, by their names. */
  foreignCodes: Map<string, string>
}

export type CalloutReply = 'approve' | 'refuse'

type MerchantProfile = {
  providers: ProviderName[]
  openingCents: number
  fees?: FeeTable
  unmatched?: 'keep'
  /** A second endpoint, which faults make slow and failing. */
  hasFailingEndpoint?: true
  /** What its server says of the orders that wait for approvals; absent: it has no call-out. */
  callout?: CalloutReply
  /** Providers at which it shares the service's account with other merchants, its first defaults. */
  sharedAt?: SharedProvider[]
  /** The place of the merchant of whose account this is the live mode; its providers are real to us. */
  liveModeOf?: number
  /** The APIs of its own provider accounts, where they are others than those of the local demo. */
  apis?: Partial<Record<ProviderName, ProviderApi>>
}
type SharedProvider = 'PROVIDER_B' | 'PROVIDER_C'

/**
 * With much and little balance, with one provider and with four, with and without fees, with accounts of their own and
 * shared ones, in one mode and in both; few failing endpoints, as each doubles the work. Ids of payments are unique in a
 * company, so no merchant has two accounts at Woovi. The local demo's four APIs and Inter's each are the first of one at least.
 */
export const MERCHANT_PROFILES: readonly MerchantProfile[] = [
  {
    providers: ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'],
    openingCents: 1_000_000_00,
    hasFailingEndpoint: true,
  },
  {
    providers: ['PROVIDER_B', 'PROVIDER_A'],
    sharedAt: ['PROVIDER_C'],
    openingCents: 1_000_000_00,
    fees: {
      charge: { fixedCents: 10, hundredthsOfPercent: 99 },
      transfer: { fixedCents: 35, hundredthsOfPercent: 0 },
      refund: { fixedCents: 5, hundredthsOfPercent: 10 },
    },
  },
  {
    providers: ['PROVIDER_C'],
    sharedAt: ['PROVIDER_B'],
    openingCents: 20_000_00,
    unmatched: 'keep',
    callout: 'refuse',
    hasFailingEndpoint: true,
  },
  { providers: ['PROVIDER_A', 'PROVIDER_D'], sharedAt: ['PROVIDER_B', 'PROVIDER_C'], openingCents: 30_00 },
  { providers: ['PROVIDER_D', 'PROVIDER_C', 'PROVIDER_B'], openingCents: 1_000_000_00, callout: 'approve' },
  {
    providers: ['PROVIDER_A', 'PROVIDER_B'],
    openingCents: 50_000_00,
    liveModeOf: 0,
    apis: { PROVIDER_A: 'inter' },
  },
  { providers: ['PROVIDER_D'], openingCents: 30_00, liveModeOf: 3, hasFailingEndpoint: true },
]

/** Most of one transfer; only some items of batches are above it. */
export const MAX_TRANSFER_CENTS = 100_000_000_00

/** A transfer above it waits for the approval of another person: about a third of them. */
const MAX_UNAPPROVED_CENTS = 22_000

/** The merchants whose provider accounts each recipient of splits can be paid at; the last one at none. */
export const RECIPIENT_MERCHANTS: readonly number[][] = [[0, 1, 2, 3, 4, 5], [0, 4], []]

/** What each merchant has at a shared account in the beginning, and what the service has there for tariffs. */
const SHARED_OPENING_CENTS = 500_00
const SERVICE_OPENING_CENTS = 10_000_00

/** The API of each provider, as in the local demo. */
const PROVIDER_APIS: Record<ProviderName, ProviderApi> = {
  PROVIDER_A: 'efi',
  PROVIDER_B: 'woovi',
  PROVIDER_C: 'sicoob',
  PROVIDER_D: 'stark',
}
const HOLDER = { name: 'Loja da Tempestade Ltda', document: '11222333000181' }
const ISPB = '09089356'

export type ParticipantSettings = {
  /** Draws how the simulator serves an account of a provider. */
  drawOptions: () => NonNullable<AccountBody['options']>
  /** A provider can prove absence after this time, before the time scale: its look-ups may lag by less. */
  settleWindowMs: number
}

/** Lists the APIs that the accounts of a provider have in a storm. */
export function listApisOf(provider: ProviderName): ProviderApi[] {
  return [PROVIDER_APIS[provider], ...MERCHANT_PROFILES.flatMap(({ apis }) => apis?.[provider] ?? [])]
}

/** Lists the APIs by which a merchant's charges are issued, the first default first. */
export function listChargeApisOf(merchant: number): ProviderApi[] {
  const { sharedAt = [], providers, apis } = MERCHANT_PROFILES[merchant]!
  return [
    ...sharedAt.map(name => PROVIDER_APIS[name]),
    ...providers.map(name => apis?.[name] ?? PROVIDER_APIS[name]),
  ]
}

/** Creates all participants, directly in the database and at the simulator. */
export async function createParticipants(
  site: StackClients,
  settings: ParticipantSettings,
): Promise<Participants> {
  const sharedAccounts = new Map<SharedProvider, ProviderAccountLogin>()
  for (const provider of new Set(MERCHANT_PROFILES.flatMap(({ sharedAt }) => sharedAt ?? [])))
    sharedAccounts.set(provider, await createSharedAccount(site, settings, provider))
  const merchants: Merchant[] = []
  for (const [place, role] of MERCHANT_PROFILES.entries())
    merchants.push(await createMerchant({ site, settings, merchants, sharedAccounts }, place, role))
  const recipients: Participants['recipients'] = []
  for (const at of RECIPIENT_MERCHANTS)
    recipients.push(
      await createRecipient(
        site,
        at.map(place => merchants[place]!),
      ),
    )
  const codes = await site.simulator.listForeignCodes()
  const foreignCodes = new Map(codes.map(({ name, payload }) => [name, payload]))
  return { merchants, recipients, foreignCodes }
}

/** The connection whose key receives a merchant's transfer to another: its bank knows no key of the other mode. */
export function recipientConnectionOf(
  { merchants }: Participants,
  { mode }: Merchant,
  place: number,
): StormConnection {
  const reachable = merchants.filter(one => one.mode === mode)
  return reachable[place % reachable.length]!.connections[0]!
}

/** The endpoints that faults may affect. */
export function failingInboxesOf({ merchants }: Participants): string[] {
  return merchants.flatMap(({ inboxes: [, foul] }) => foul ?? [])
}

type MerchantContext = {
  site: StackClients
  settings: ParticipantSettings
  /** Those created before. */
  merchants: Merchant[]
  sharedAccounts: Map<SharedProvider, ProviderAccountLogin>
}

async function createMerchant(
  context: MerchantContext,
  place: number,
  role: MerchantProfile,
): Promise<Merchant> {
  const { site, settings, sharedAccounts } = context
  const isLive = role.liveModeOf !== undefined
  const mode: Mode = isLive ? 'live' : 'test'
  const { uuid } = isLive
    ? context.merchants[role.liveModeOf!]!
    : await createAccount(site.orm.em.fork(), HOLDER)
  if (role.unmatched)
    await site.sql('update account set unmatched_policy = ? where uuid = ?', [role.unmatched, uuid])
  const own: Merchant['connections'] = []
  for (const provider of role.providers)
    own.push(await connectMerchant(context, uuid, { merchantIndex: place, provider, role }))
  const shared: Merchant['connections'] = []
  for (const provider of role.sharedAt ?? [])
    shared.push(await joinSharedAccount({ site, settings }, uuid, sharedAccounts.get(provider)!))
  const accountUuid = uuid
  await replaceDefaultConnections(
    site.orm.em.fork(),
    { accountUuid, mode },
    [...shared, ...own].map(one => one.uuid),
  )
  const name = `storm ${mode}`
  const token = await createToken(site.orm.em.fork(), { accountUuid, name, mode })
  const boundToken = await createToken(site.orm.em.fork(), {
    accountUuid,
    name,
    mode,
    connectionUuid: own[0]!.uuid,
  })
  const approverToken = await createToken(site.orm.em.fork(), {
    accountUuid,
    name,
    mode,
    author: 'storm approver',
  })
  const inboxes = [`storm-${place}-fair`, ...(role.hasFailingEndpoint ? [`storm-${place}-foul`] : [])]
  for (const inbox of inboxes)
    await registerWebhook(site, token, {
      url: `${site.local.inbox_url}/${inbox}`,
      ...(isToldOfBatches(inbox) && { events: SUBSCRIBABLE_EVENT_TYPES }),
    })
  const callout = role.callout ? { inbox: `storm-${place}-callout`, says: role.callout } : null
  await setLimits(site, { token, callout })
  const connections = [...own, ...shared]
  return { uuid, mode, inboxes, token, boundToken, approverToken, callout, connections }
}

/** An account at the simulator, and how it is used. */
type ProviderAccountLogin = Pick<Connection, 'provider' | 'dialect' | 'baseUrl'> & {
  providerAccount: string
  collectionKey: string
  credentials: Record<string, string>
}
type ProviderAccountInput = {
  account: string
  provider: ProviderName
  dialect: ProviderApi
  openingCents: number
  /** False as after registration at Woovi, whose secret is shown in its panel only: the published key verifies. */
  hasSecret: boolean
}

async function createProviderAccount(
  site: StackClients,
  { drawOptions }: ParticipantSettings,
  { account, provider, dialect, openingCents, hasSecret }: ProviderAccountInput,
): Promise<ProviderAccountLogin> {
  const collectionKey = randomUUID()
  const created = await createSimulatedCredentials(site.simulator, dialect, account)
  const { login } = created
  const { webhook_secret: secret, ...credentials } = created.credentials
  await site.simulator.putAccount(account, {
    ...login,
    notification_secret: hasSecret ? login.notification_secret : null,
    provider,
    dialect,
    holder: HOLDER,
    ispb: ISPB,
    keys: [collectionKey],
    balance: openingCents / 100,
    options: drawOptions(),
  })
  return {
    provider,
    dialect,
    baseUrl: site.baseUrls[provider],
    providerAccount: account,
    collectionKey,
    credentials: { ...credentials, ...(hasSecret && secret && { webhook_secret: secret }) },
  }
}

type ConnectionInput = { merchantIndex: number; provider: ProviderName; role: MerchantProfile }

async function connectMerchant(
  { site, settings }: MerchantContext,
  accountUuid: string,
  { merchantIndex: place, provider, role }: ConnectionInput,
) {
  const { openingCents } = role
  const dialect = role.apis?.[provider] ?? PROVIDER_APIS[provider]
  const login = await createProviderAccount(site, settings, {
    account: `storm-${place}-${provider.toLowerCase()}`,
    provider,
    dialect,
    openingCents,
    hasSecret: dialect !== 'woovi' || place % 2 === 1,
  })
  const made = await createConnection(site.orm.em.fork(), site.seal, {
    accountUuid,
    ...login,
    type: 'NOMINAL',
    isSimulated: role.liveModeOf === undefined,
    fees: role.fees ?? NO_FEES,
    settleWindowMs: settings.settleWindowMs,
  })
  await postOpeningBalance(site.orm.em.fork(), made, openingCents)
  return registerConnection(site, made, login)
}

/** Creates an account of the service at a provider, which merchants share. */
function createSharedAccount(site: StackClients, settings: ParticipantSettings, provider: SharedProvider) {
  const sharers = MERCHANT_PROFILES.filter(({ sharedAt }) => sharedAt?.includes(provider))
  return createProviderAccount(site, settings, {
    account: `storm-shared-${provider.toLowerCase()}`,
    provider,
    dialect: PROVIDER_APIS[provider],
    hasSecret: true,
    openingCents: SERVICE_OPENING_CENTS + sharers.length * SHARED_OPENING_CENTS,
  })
}

async function joinSharedAccount(
  { site, settings: { settleWindowMs } }: Pick<MerchantContext, 'site' | 'settings'>,
  accountUuid: string,
  login: ProviderAccountLogin,
) {
  const made = await createConnection(site.orm.em.fork(), site.seal, {
    accountUuid,
    ...login,
    type: 'POOL',
    isSimulated: true,
    settleWindowMs,
  })
  // The first of them opens the account with the service's part.
  await openProviderAccount(site.orm.em.fork(), made, async () => stateOpeningBalance(SERVICE_OPENING_CENTS))
  await postOpeningBalance(site.orm.em.fork(), made, SHARED_OPENING_CENTS)
  return registerConnection(site, made, login)
}

async function registerConnection(
  { providers, local }: StackClients,
  made: Connection,
  { provider, dialect: api, providerAccount: account, collectionKey }: ProviderAccountLogin,
) {
  await registerNotificationUrl({ providers, publicUrl: local.api_url }, made)
  return { uuid: made.uuid, provider, api, account, collectionKey }
}

/** Whether an endpoint names all events: BATCH is delivered only where it is named. */
export function isToldOfBatches(inbox: string): boolean {
  return inbox.endsWith('-fair')
}

function registerWebhook(
  site: StackClients,
  token: string,
  webhook: { url: string; events?: readonly string[] },
): Promise<void> {
  return callApi(site, token, { method: 'POST', path: '/webhooks', body: webhook })
}

async function callApi(
  site: StackClients,
  token: string,
  { method, path, body }: { method: string; path: string; body: object },
): Promise<void> {
  const answer = await fetch(`${site.local.api_url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
}

/**
 * Sets limits high enough to refuse nothing but what is drawn for it: what is counted must equal what was ordered. Some transfers wait for
 * approvals, of a merchant with a call-out for that of its server too.
 */
async function setLimits(
  site: StackClients,
  { token, callout }: Pick<Merchant, 'token' | 'callout'>,
): Promise<void> {
  const highest = reaisFromCents(MAX_CENTS)
  const approvals = {
    above: reaisFromCents(MAX_UNAPPROVED_CENTS),
    count: 1,
    expires_hours: 1,
    callout_url: callout && `${site.local.inbox_url}/${callout.inbox}`,
  }
  await callApi(site, token, {
    method: 'PUT',
    path: '/limits',
    body: {
      per_transfer: reaisFromCents(MAX_TRANSFER_CENTS),
      per_day: highest,
      new_receiver: { value: highest, hours: 1 },
      approvals,
    },
  })
  if (!callout) return
  const body = JSON.stringify({ approve: callout.says === 'approve' })
  await site.simulator.setInboxResponse(callout.inbox, { status: 200, body })
}

/** An account that can receive splits of what these merchants' provider accounts receive. */
async function createRecipient(
  site: StackClients,
  merchants: Merchant[],
): Promise<Participants['recipients'][number]> {
  const em = site.orm.em.fork()
  const { uuid } = await createAccount(em, { name: 'Recebedor da Tempestade', document: '52998224725' })
  const connections = new Map(
    merchants.flatMap(one => one.connections).map(connection => [connection.account, connection]),
  )
  for (const [account, { uuid: theirs }] of connections) {
    const found = await em.findOneOrFail(Connection, theirs, { populate: ['sealedCredentials'] })
    const { provider, dialect, baseUrl, isSimulated, sealedCredentials, collectionKey } = found
    await createConnection(em, site.seal, {
      accountUuid: uuid,
      provider,
      dialect,
      baseUrl,
      isSimulated,
      providerAccount: account,
      type: 'POOL',
      credentials: site.seal.open(sealedCredentials),
      collectionKey: collectionKey ?? null,
    })
  }
  const tokens: StatementToken[] = []
  for (const mode of ['test', 'live'] as const) {
    const token = await createToken(em.fork(), { accountUuid: uuid, name: `storm ${mode}`, mode })
    tokens.push({ account: uuid, mode, token })
  }
  return { uuid, tokens }
}
