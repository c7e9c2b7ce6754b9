import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { Connection, ProviderAccount } from '../db/entities/connection.ts'
import { ProviderNotification } from '../db/entities/provider-notification.ts'
import { ROW_LOCK } from '../db/locks.ts'
import { sendChanges } from '../db/pipeline/query.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import {
  deleteUnusedProviderAccount,
  storeIdentities,
} from '../db/repositories/provider-account-identities.ts'
import { NO_FEES } from '../domain/ledger/money.ts'
import type { Party } from '../domain/pix/party.ts'
import { buildNotificationUrl } from '../domain/providers/notification-url.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Sealer } from '../security/sealing.ts'
import {
  type OpeningOutcome,
  openProviderAccount,
  postOpeningMovement,
  readOpeningBalance,
  stateOpeningBalance,
} from './opening-balance.ts'

/** Fields of a connection that an operator gives, as its form and the options of `connection add` name them. */
export type OnboardingField =
  | 'base_url'
  | 'certificate'
  | 'credentials'
  | 'join'
  | 'pool_role'
  | 'private_key'
  | 'provider_account'
  | 'replace_webhook'
  | 'simulated'
  | 'type'

/**
 * Why a connection is not made or not changed; nothing was stored. `text` follows the name of the field and has a gap for
 * each of `gaps`, which the dashboard translates.
 */
export class OnboardingRefused extends Error {
  override name = 'OnboardingRefused'
  readonly field: OnboardingField
  readonly text: string
  readonly gaps: Record<string, string>

  constructor(field: OnboardingField, text: string, gaps: Record<string, string> = {}, cause?: unknown) {
    super(
      text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => gaps[gap] ?? ''),
      { cause },
    )
    this.field = field
    this.text = text
    this.gaps = gaps
  }
}

/** What operators change of a connection that exists; its credentials have rules of their own. */
type ConnectionChange =
  | Pick<Connection, 'status'>
  | Pick<Connection, 'isPublic'>
  | Pick<Connection, 'fees'>
  | Pick<Connection, 'maxTransferCents'>

function actionOfConnectionChange(change: ConnectionChange): string {
  if ('status' in change) return 'connection_status'
  if ('maxTransferCents' in change) return 'connection_limit'
  return 'isPublic' in change ? 'connection_visibility' : 'connection_fees'
}

type ChangeConnectionInput = ActionAuthor & {
  uuid: string
  /** Given the row as it is. */
  change(connection: Connection): ConnectionChange
}

/** Changes a connection under its row lock, so that two concurrent changes of different fees keep both. */
export async function changeConnection(em: EntityManager, order: ChangeConnectionInput): Promise<void> {
  const { uuid, change } = order
  return runInTransaction(em, async tx => {
    const connection = await tx.findOne(Connection, uuid, ROW_LOCK)
    if (!connection) throw new Error(`there is no connection ${uuid}`)
    const columns = change(connection)
    return runAuditedAction(tx, {
      by: order,
      action: actionOfConnectionChange(columns),
      subject: `connection/${uuid}`,
      work: async () => void Object.assign(connection, columns, { updatedAt: new Date() }),
    })
  })
}

/** Columns of `Connection`; of the optional ones `status` is ACTIVE by default. */
export type CreateConnectionInput = Pick<
  Connection,
  'accountUuid' | 'provider' | 'dialect' | 'type' | 'isSimulated' | 'baseUrl'
> &
  Partial<
    Pick<Connection, 'uuid' | 'status' | 'fees' | 'maxTransferCents' | 'settleWindowMs' | 'creditedSince'>
  > & {
    /** The provider's name of the account that holds the money; connections of a mode with one name share its money. */
    providerAccount: string
    /** What identifies that account at the provider (`hashIdentity`); default: unknown. */
    identityHashes?: string[]
    /** In the form of the adapter; sealed before they are stored. */
    credentials: unknown
    collectionKey: string | null
    virtualAccount?: Party
  }

/**
 * Connects an account to a provider. Its balances open at zero, by trigger. A provider account that is new is in the name of
 * the account of a NOMINAL connection. PostgreSQL refuses a connection in the name of another account than the owner, and
 * one to an account at the bank that is another provider account.
 */
export async function createConnection(em: EntityManager, sealer: Sealer, order: CreateConnectionInput) {
  const { providerAccount: name, credentials, virtualAccount, identityHashes, ...columns } = order
  const { provider, type, isSimulated, dialect, accountUuid } = order
  const ownerUuid = type === 'NOMINAL' ? accountUuid : null
  const providerAccount =
    (await em.findOne(ProviderAccount, { provider, isSimulated, name })) ??
    em.create(ProviderAccount, { uuid: randomUUID(), provider, isSimulated, name, ownerUuid })
  await sendChanges(em)
  const { uuid: providerAccountUuid } = providerAccount
  if (identityHashes) await storeIdentities(em, { providerAccountUuid, dialect, hashes: identityHashes })
  const connection = em.create(Connection, {
    status: 'ACTIVE',
    fees: NO_FEES,
    creditedSince: null,
    settleWindowMs: undefined,
    uuid: randomUUID(),
    ...columns,
    providerAccountUuid,
    providerIdentity: identityHashes ?? null,
    sealedCredentials: sealer.seal(credentials),
    secretKeyId: sealer.keyId,
    virtualAccount: type === 'NOMINAL' && virtualAccount ? { type, ...virtualAccount } : null,
  })
  await sendChanges(em)
  return connection
}

/** `warn`: receives a warning about what a provider does not notify. */
export type NotificationSite = {
  providers: ProviderRegistry
  publicUrl: string
  warn?: (text: string) => void
}

/**
 * Activates a connection that is CONFIGURATION_PENDING. Its provider registers the callback address, which some providers
 * call at once, so that the row is stored before; then its provider account is opened with the balance there, or with
 * the balance that the operator gives. A connection that could not be registered or opened is deleted, unless a
 * notification has already arrived through it. Such a connection, and one whose command was killed, stays pending and
 * starts no operation.
 */
export async function activateConnection(
  em: EntityManager,
  { site, sealer, connection, actor, openingCents, replacesWebhook }: ActivateConnectionInput,
): Promise<OpeningOutcome> {
  const pending = { uuid: connection.uuid, status: 'CONFIGURATION_PENDING' } as const
  let opening: OpeningOutcome
  try {
    await noteReplacedUrl(em, { site, sealer, connection, replacesWebhook })
    await registerNotificationUrl(site, connection)
    opening = await openProviderAccount(em, connection, async () =>
      openingCents === undefined
        ? readOpeningBalance(site.providers.providerFor(connection), connection)
        : stateOpeningBalance(openingCents),
    )
  } catch (error) {
    if ((await em.count(ProviderNotification, { connectionUuid: connection.uuid })) > 0)
      throw new Error(
        `${(error as Error).message}; ${connection.uuid} stays CONFIGURATION_PENDING: it had a notification`,
      )
    await runAuditedAction(em, {
      by: { actor, reason: 'the connection was not registered' },
      action: 'connection_withdraw',
      subject: `connection/${connection.uuid}`,
      async work(tx) {
        await tx.nativeDelete(Connection, pending)
        await deleteUnusedProviderAccount(tx, connection.providerAccountUuid)
      },
    })
    throw error
  }
  await em.nativeUpdate(Connection, pending, { status: 'ACTIVE', updatedAt: new Date() })
  return opening
}

type ActivateConnectionInput = {
  site: NotificationSite
  sealer: Sealer
  connection: Connection
  actor: string
  openingCents?: number | undefined
  /** Replaces the URL of another system that the provider notifies. */
  replacesWebhook?: boolean | undefined
}

/**
 * Notes the URL of another system that registering ours will replace, sealed, where the provider notifies one URL only.
 * Refused without `replacesWebhook`; a URL of ours is replaced without a note.
 */
export async function noteReplacedUrl(
  em: EntityManager,
  {
    site: { providers, publicUrl },
    sealer,
    connection,
    replacesWebhook,
  }: Pick<ActivateConnectionInput, 'site' | 'sealer' | 'connection' | 'replacesWebhook'>,
): Promise<void> {
  const { uuid, provider, collectionKey } = connection
  const answer = await providers.providerFor(connection).findReplacedUrl?.(collectionKey ?? null)
  if (answer?.kind === 'no_answer' && !replacesWebhook)
    throw new Error(`${provider} did not say which URL it notifies now: ${answer.message}`)
  const url = answer?.kind === 'found' ? answer.url : null
  if (url === null || url.startsWith(`${publicUrl}/provider-notifications/`)) return
  if (!replacesWebhook)
    throw new OnboardingRefused(
      'replace_webhook',
      'must be given on purpose: the provider notifies {url} for this PIX key now, and would no longer do so',
      { url },
    )
  await em.nativeUpdate(Connection, uuid, { sealedReplacedUrl: sealer.seal(url) })
}

/** Registers the callback address of a connection at its provider. */
export async function registerNotificationUrl(
  { providers, publicUrl, warn }: NotificationSite,
  connection: Connection,
): Promise<void> {
  const provider = providers.providerFor(connection)
  const url = buildNotificationUrl(publicUrl, connection)
  const registered = await provider.registerNotificationUrl(url, connection.collectionKey ?? null)
  if (registered.kind !== 'registered')
    throw new Error(`${connection.provider} did not register the callback address: ${registered.message}`)
  if (registered.warning) warn?.(registered.warning)
}

/** Books a known balance to the connection's own account, as a local start does for a simulated account. */
export async function postOpeningBalance(em: EntityManager, connection: Connection, cents: number) {
  const { accountUuid } = connection
  await runInTransaction(em, tx => postOpeningMovement(tx, { accountUuid, connection, cents, reason: null }))
}
