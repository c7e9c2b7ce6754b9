import { randomUUID } from 'node:crypto'
import { createAccount, issueToken } from '../../src/admin/accounts.ts'
import { createConnection, postOpeningBalance, registerNotificationUrl } from '../../src/admin/connections.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { replaceDefaultConnections } from '../../src/db/repositories/default-providers.ts'
import { generateSimulatorLogin, toProviderCredentials } from '../../src/dev/demo/demo-logins.ts'
import { type FeeTable, NO_FEES } from '../../src/domain/ledger/money.ts'
import type { ProviderApi, ProviderName } from '../../src/domain/providers/provider.ts'
import type { StackClients } from './stack-clients.ts'

/** The participants of a storm: merchants with providers of their own, and recipients of splits. */
export type Merchant = {
  uuid: string
  /** The endpoints of its webhooks, names in the simulator's inbox. */
  inboxes: string[]
  token: string
  /** Bound to the first of its connections. */
  boundToken: string
  connections: { uuid: string; provider: ProviderName; account: string; collectionKey: string }[]
}
export type Participants = { merchants: Merchant[]; recipients: string[] }

type MerchantProfile = {
  providers: ProviderName[]
  openingCents: number
  fees?: FeeTable
  unmatched?: 'keep'
  /** A second endpoint, which faults make slow and failing. */
  hasFailingEndpoint?: true
}

/**
 * With much and little balance, with one provider and with four, with and without fees; few failing endpoints, as each
 * doubles the work.
 */
export const MERCHANT_PROFILES: readonly MerchantProfile[] = [
  {
    providers: ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'],
    openingCents: 1_000_000_00,
    hasFailingEndpoint: true,
  },
  {
    providers: ['PROVIDER_B', 'PROVIDER_A'],
    openingCents: 1_000_000_00,
    fees: {
      charge: { fixedCents: 10, hundredthsOfPercent: 99 },
      transfer: { fixedCents: 35, hundredthsOfPercent: 0 },
      refund: { fixedCents: 5, hundredthsOfPercent: 10 },
    },
  },
  { providers: ['PROVIDER_C'], openingCents: 20_000_00, unmatched: 'keep', hasFailingEndpoint: true },
  { providers: ['PROVIDER_A', 'PROVIDER_D'], openingCents: 30_00 },
  { providers: ['PROVIDER_D', 'PROVIDER_C', 'PROVIDER_B'], openingCents: 1_000_000_00 },
]

/** The merchants whose provider accounts each recipient of splits can be paid at; the last one at none. */
export const RECIPIENT_MERCHANTS: readonly number[][] = [[0, 1, 2, 3, 4], [0, 4], []]

/** The API of each provider, as in the local demo. */
export const PROVIDER_APIS: Record<ProviderName, ProviderApi> = {
  PROVIDER_A: 'efi',
  PROVIDER_B: 'woovi',
  PROVIDER_C: 'efi',
  PROVIDER_D: 'efi',
}
const HOLDER = { name: 'Loja da Tempestade Ltda', document: '11222333000181' }
const ISPB = '09089356'
/** A provider's look-ups may lag by less than this (planned-faults.ts), before the time scale. */
const SETTLE_WINDOW_MS = 120_000

/** Creates all participants, directly in the database and at the simulator. */
export async function createParticipants(site: StackClients): Promise<Participants> {
  const merchants: Merchant[] = []
  for (const [place, role] of MERCHANT_PROFILES.entries())
    merchants.push(await createMerchant(site, place, role))
  const recipients: string[] = []
  for (const at of RECIPIENT_MERCHANTS)
    recipients.push(
      await createRecipient(
        site,
        at.map(place => merchants[place]!),
      ),
    )
  return { merchants, recipients }
}

/** The endpoints that faults may affect. */
export function failingInboxesOf({ merchants }: Participants): string[] {
  return merchants.flatMap(({ inboxes: [, foul] }) => foul ?? [])
}

async function createMerchant(site: StackClients, place: number, role: MerchantProfile): Promise<Merchant> {
  const { uuid } = await createAccount(site.orm.em.fork(), HOLDER)
  if (role.unmatched)
    await site.sql('update account set unmatched_policy = ? where uuid = ?', [role.unmatched, uuid])
  const connections = []
  for (const provider of role.providers)
    connections.push(await connectMerchant(site, uuid, { merchantIndex: place, provider, role }))
  await replaceDefaultConnections(
    site.orm.em.fork(),
    { accountUuid: uuid },
    connections.map(one => one.uuid),
  )
  const name = 'storm'
  const token = await issueToken(site.orm.em.fork(), { accountUuid: uuid, name, mode: 'test' })
  const boundToken = await issueToken(site.orm.em.fork(), {
    ...{ accountUuid: uuid, name, mode: 'test' as const },
    connectionUuid: connections[0]!.uuid,
  })
  const inboxes = [`storm-${place}-fair`, ...(role.hasFailingEndpoint ? [`storm-${place}-foul`] : [])]
  for (const inbox of inboxes) await registerWebhook(site, token, `${site.local.inbox_url}/${inbox}`)
  return { uuid, inboxes, token, boundToken, connections }
}

type ConnectionInput = { merchantIndex: number; provider: ProviderName; role: MerchantProfile }

async function connectMerchant(
  site: StackClients,
  accountUuid: string,
  { merchantIndex: place, provider, role }: ConnectionInput,
) {
  const account = `storm-${place}-${provider.toLowerCase()}`
  const collectionKey = randomUUID()
  const dialect = PROVIDER_APIS[provider]
  const login = generateSimulatorLogin(account)
  // As after registration at Woovi, whose secret is shown in its panel only: notifications are verified by the
  // published key.
  const hasSecret = dialect !== 'woovi' || place % 2 === 1
  const { webhook_secret: secret, ...credentials } = toProviderCredentials(dialect, login)
  await site.simulator.putAccount(account, {
    ...{
      ...login,
      notification_secret: hasSecret ? login.notification_secret : null,
      provider,
      dialect,
      holder: HOLDER,
      ispb: ISPB,
      keys: [collectionKey],
    },
    balance: role.openingCents / 100,
  })
  const made = await createConnection(site.orm.em.fork(), site.seal, {
    ...{ accountUuid, provider, providerAccount: account, dialect, collectionKey },
    credentials: { ...credentials, ...(hasSecret && secret && { webhook_secret: secret }) },
    type: 'NOMINAL',
    isSimulated: true,
    baseUrl: site.baseUrls[provider],
    fees: role.fees ?? NO_FEES,
    settleWindowMs: SETTLE_WINDOW_MS,
  })
  await postOpeningBalance(site.orm.em.fork(), made, role.openingCents)
  const { providers, local } = site
  await registerNotificationUrl({ providers, publicUrl: local.api_url }, made)
  return { uuid: made.uuid, provider, account, collectionKey }
}

async function registerWebhook(site: StackClients, token: string, url: string): Promise<void> {
  const answer = await fetch(`${site.local.api_url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  })
  if (answer.status !== 201) throw new Error(`no webhook: ${answer.status} ${await answer.text()}`)
}

/** An account that can receive splits of what these merchants' provider accounts receive. */
async function createRecipient(site: StackClients, merchants: Merchant[]): Promise<string> {
  const em = site.orm.em.fork()
  const { uuid } = await createAccount(em, { name: 'Recebedor da Tempestade', document: '52998224725' })
  for (const { uuid: theirs, account } of merchants.flatMap(one => one.connections)) {
    const found = await em.findOneOrFail(Connection, theirs, { populate: ['sealedCredentials'] })
    const { provider, dialect, baseUrl, sealedCredentials, collectionKey } = found
    await createConnection(em, site.seal, {
      ...{ accountUuid: uuid, provider, dialect, baseUrl, providerAccount: account },
      type: 'POOL',
      isSimulated: true,
      credentials: site.seal.open(sealedCredentials),
      collectionKey: collectionKey ?? null,
    })
  }
  return uuid
}
