import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import {
  listProviderAccountHolders,
  type ProviderAccountHolder,
} from '../db/repositories/provider-account-identities.ts'
import type { AccountIdentity, ProviderApi } from '../domain/providers/provider.ts'
import { isTransportCode } from '../domain/providers/transport-code.ts'
import { findCertificateFault } from '../providers/adapter/client-certificate.ts'
import { CREDENTIALS_SCHEMAS, type ProviderRegistry, REQUIRED_PERMISSIONS } from '../providers/registry.ts'
import type { Sealer } from '../security/sealing.ts'
import {
  activateConnection,
  type CreateConnectionInput,
  createConnection,
  type NotificationSite,
  noteReplacedUrl,
  OnboardingRefused,
  registerNotificationUrl,
} from './connections.ts'
import {
  type ReplaceCredentialsInput,
  type ReplaceCredentialsResult,
  replaceCredentials,
  rollBackCredentials,
} from './credentials.ts'
import { NOT_CREDITED_YET, type OpeningOutcome } from './opening-balance.ts'
import { hashIdentity, readNamedIdentity, requireOneAccount } from './provider-account.ts'

/** Connects an account to a provider: tests the credentials, stores them sealed, registers the callback address. */

export { CREDENTIALS_SCHEMAS, REQUIRED_PERMISSIONS }

export type ConnectionOrder = Omit<CreateConnectionInput, 'status' | 'creditedSince' | 'identityHashes'>

/**
 * Asks the provider which account the credentials belong to. Refuses those that the provider does not accept, and those with
 * which it does not say whose account it is: without its identity nothing proves that it is not connected already.
 */
async function identifyAccount(
  { providers, sealer }: { providers: ProviderRegistry; sealer: Sealer },
  { credentials, provider, dialect, baseUrl, isSimulated }: ConnectionOrder,
): Promise<AccountIdentity> {
  const sealedCredentials = sealer.seal(credentials)
  const target = { uuid: randomUUID(), provider, dialect, baseUrl, sealedCredentials }
  const candidate = providers.providerFor(target) // Throws on credentials that the adapter cannot use.
  requireUsableCertificate(credentials, { dialect, isSimulated })
  const identity = await candidate.identity()
  if (identity.kind === 'found') {
    if ('id' in identity || identity.keys.length > 0) return identity
    throw new OnboardingRefused(
      'credentials',
      'are of an account without a random PIX key, by which alone the provider identifies it: create one there, then add the connection',
    )
  }
  const reason = identity.message
  if (identity.code === 'no_token')
    throw new OnboardingRefused('credentials', 'were refused by the provider: {reason}', { reason })
  // The provider refuses a certificate that it does not know in the handshake, which a wrong address may end as well.
  if (identity.code === 'tls_failed' && 'certificate' in CREDENTIALS_SCHEMAS[dialect].shape)
    throw new OnboardingRefused(
      'certificate',
      'was not accepted by the provider, or the address is not the provider’s ({reason})',
      { reason },
    )
  if (isTransportCode(identity.code))
    throw new OnboardingRefused('base_url', 'must be an address at which the provider answers ({reason})', {
      reason,
    })
  throw new OnboardingRefused(
    'credentials',
    'do not identify the account at the provider: they are wrong, or lack a permission ({reason}); needed are {permissions}',
    { reason, permissions: REQUIRED_PERMISSIONS[dialect].join(' ') },
  )
}

/**
 * Refuses credentials whose client certificate the provider would not accept now: one that has expired, or none where a real
 * account needs one.
 */
function requireUsableCertificate(
  credentials: unknown,
  { dialect, isSimulated }: { dialect: ProviderApi; isSimulated: boolean },
): void {
  const isRequired = 'certificate' in CREDENTIALS_SCHEMAS[dialect].shape && !isSimulated
  const fault = findCertificateFault(credentials, { isRequired, nowMs: Date.now() })
  if (fault) throw new OnboardingRefused(fault.field, fault.text, fault.gaps)
}

type OnboardingDependencies = { em: EntityManager; sealer: Sealer; site: NotificationSite }
type OnboardingOrder = {
  connection: ConnectionOrder
  actor: string
  reason: string
  /** Balance at the provider now; where absent, the provider's report is read. */
  openingCents?: number | undefined
  /** Who is authorised to hold the money of others in a live POOL account, in the operator's words. */
  poolRole?: string | undefined
  /** Shares the money of a provider account that is connected already. */
  joins: boolean
  /** Replaces the URL of another system that the provider notifies. */
  replacesWebhook: boolean
}

/**
 * Stores a connection and activates it, after its account at the provider is identified and compared with all others
 * (`requireOneAccount`). One that could not be registered or opened is deleted again, and `OnboardingRefused` says why
 * (`activateConnection`).
 */
export async function onboardConnection(
  { em, sealer, site }: OnboardingDependencies,
  { connection: order, actor, reason, poolRole, openingCents, joins, replacesWebhook }: OnboardingOrder,
): Promise<{ connection: Connection; opening: OpeningOutcome; holders: ProviderAccountHolder[] }> {
  requirePoolRole(order, poolRole)
  const { providers } = site
  const identity = await identifyAccount({ providers, sealer }, order)
  const currentHashes = await readNamedIdentity(em.fork(), providers, order)
  const connection = await runAuditedAction(em, {
    by: { actor, reason },
    action: 'connection_add',
    async work(tx) {
      await requireOneAccount(tx, { order, identity, currentHashes, joins })
      const created = await createConnection(tx, sealer, {
        ...order,
        status: 'CONFIGURATION_PENDING',
        creditedSince: NOT_CREDITED_YET,
        identityHashes: hashIdentity(identity),
      })
      if (poolRole)
        await runAuditedAction(tx, {
          by: { actor, reason: poolRole },
          action: 'connection_pool_role',
          subject: `connection/${created.uuid}`,
        })
      providers.providerFor(created) // Throws on what the dialect cannot use, before anything is stored.
      return created
    },
    subject: one => `connection/${one.uuid}`,
  })
  const activation = { site, sealer, connection, actor, openingCents, replacesWebhook }
  const opening = await activateConnection(em, activation).catch(failAsRefused)
  const holders = await listProviderAccountHolders(em.fork(), connection.providerAccountUuid)
  return { connection, opening, holders }
}

/**
 * Requires the role of who holds the money of others before a live POOL connection is added: Res. BCB 518/2025 (CMN 5.261) closes
 * accounts that pool the money of third parties since 2025-12-01. Content and date are those of texts about it.
 */
function requirePoolRole(
  { type, isSimulated }: Pick<ConnectionOrder, 'type' | 'isSimulated'>,
  poolRole: string | undefined,
): void {
  const isLivePool = type === 'POOL' && !isSimulated
  if (isLivePool && !poolRole)
    throw new OnboardingRefused(
      'pool_role',
      'is required for a live POOL: name who is authorised to hold the money of others, and as what. Res. BCB 518/2025 closes pooled accounts of third parties since 2025-12-01 (as texts about it say)',
    )
  if (!isLivePool && poolRole) throw new OnboardingRefused('pool_role', 'is only for a live POOL')
}

/** Errors with a code are those of PostgreSQL or the network to it. */
function failAsRefused(error: Error & { code?: unknown }): never {
  if (error.code !== undefined || error instanceof OnboardingRefused) throw error
  throw new OnboardingRefused('base_url', 'was not stored: {reason}', { reason: error.message }, error)
}

/**
 * Replaces the credentials of a connection and registers its callback address with them. Where the provider does not, and
 * nothing proves that they are of the same account, the previous ones are restored.
 */
export async function renewCredentials(
  { em, sealer, site }: OnboardingDependencies,
  { replacesWebhook, ...order }: ReplaceCredentialsInput & { replacesWebhook: boolean },
): Promise<ReplaceCredentialsResult> {
  const renewed = await em.fork().findOne(Connection, order.connectionUuid)
  if (renewed) requireUsableCertificate(order.credentials, renewed)
  const replacement = await replaceCredentials(em, { providers: site.providers, sealer }, order)
  const { connection } = replacement
  try {
    await noteReplacedUrl(em, { site, sealer, connection, replacesWebhook })
    await registerNotificationUrl(site, connection)
  } catch (error) {
    if (replacement.isProved || !(await rollBackCredentials(em, replacement, order.actor))) throw error
    if (error instanceof OnboardingRefused) throw error
    const reason = `${(error as Error).message}; the previous credentials are restored`
    throw new OnboardingRefused('base_url', 'was not stored: {reason}', { reason }, error)
  }
  return replacement
}
