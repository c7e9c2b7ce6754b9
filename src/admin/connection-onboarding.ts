import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import type { Connection } from '../db/entities/connection.ts'
import { isTransportCode, type NoAnswerResult } from '../domain/providers/provider.ts'
import { CREDENTIALS_SCHEMAS, type ProviderRegistry } from '../providers/registry.ts'
import type { Sealer } from '../security/sealing.ts'
import { runAuditedAction } from './audited-action.ts'
import {
  activateConnection,
  type CreateConnectionInput,
  createConnection,
  type NotificationSite,
  registerNotificationUrl,
} from './connections.ts'
import {
  type ReplaceCredentialsInput,
  type ReplaceCredentialsResult,
  replaceCredentials,
  rollBackCredentials,
} from './credentials.ts'
import { NOT_CREDITED_YET, type OpeningOutcome } from './opening-balance.ts'

/** Connects an account to a provider: tests the credentials, stores them sealed, registers the callback address. */

export { CREDENTIALS_SCHEMAS }

export type ConnectionOrder = Omit<CreateConnectionInput, 'status' | 'creditedSince'>

type CredentialsToTest = Pick<ConnectionOrder, 'provider' | 'dialect' | 'baseUrl' | 'credentials'>

/**
 * Asks the provider which account the credentials belong to. `refused`: the provider does not accept them. `no_answer`:
 * the provider gave no answer at this address. Nothing is stored.
 */
export async function testCredentials(
  { providers, sealer }: { providers: ProviderRegistry; sealer: Sealer },
  { credentials, ...target }: CredentialsToTest,
): Promise<{ kind: 'accepted' } | { kind: 'refused' } | NoAnswerResult> {
  const sealedCredentials = sealer.seal(credentials)
  const identity = await providers
    .providerFor({ ...target, uuid: randomUUID(), sealedCredentials })
    .identity()
  if (identity.kind === 'found') return { kind: 'accepted' }
  const isReached = !isTransportCode(identity.code) || identity.code === 'no_token'
  return isReached ? { kind: 'refused' } : identity
}

type OnboardingDependencies = { em: EntityManager; sealer: Sealer; site: NotificationSite }
type OnboardingOrder = {
  connection: ConnectionOrder
  actor: string
  reason: string
  /** Balance at the provider now; where absent, the provider's report is read. */
  openingCents?: number | undefined
}

/** The provider did not register or report what the connection needs; the message has the reason for the operator. */
export class OnboardingRefused extends Error {
  override name = 'OnboardingRefused'
}

/**
 * Stores a connection and activates it. One that could not be registered or opened is deleted again, and
 * `OnboardingRefused` says why (`activateConnection`).
 */
export async function onboardConnection(
  { em, sealer, site }: OnboardingDependencies,
  { connection: order, actor, reason, openingCents }: OnboardingOrder,
): Promise<{ connection: Connection; opening: OpeningOutcome }> {
  const connection = await runAuditedAction(em, {
    ...{ actor, reason, action: 'connection_add' },
    async work(tx) {
      const input = { ...order, status: 'CONFIGURATION_PENDING', creditedSince: NOT_CREDITED_YET } as const
      const created = await createConnection(tx, sealer, input)
      site.providers.providerFor(created) // Throws on what the dialect cannot use, before anything is stored.
      return created
    },
    subject: one => `connection/${one.uuid}`,
  })
  const opening = await activateConnection(em, { site, connection, actor, openingCents }).catch(failAsRefused)
  return { connection, opening }
}

/** Errors with a code are those of PostgreSQL or the network to it. */
function failAsRefused(error: Error & { code?: unknown }): never {
  throw error.code === undefined ? new OnboardingRefused(error.message, { cause: error }) : error
}

/**
 * Replaces the credentials of a connection and registers its callback address with them. Where the provider does not, and
 * nothing proves that they are of the same account, the previous ones are restored.
 */
export async function renewCredentials(
  { em, sealer, site }: OnboardingDependencies,
  order: ReplaceCredentialsInput,
): Promise<ReplaceCredentialsResult> {
  const replaced = await replaceCredentials(em, { providers: site.providers, sealer }, order)
  await registerNotificationUrl(site, replaced.connection).catch(async error => {
    if (replaced.isProved || !(await rollBackCredentials(em, replaced, order.actor))) throw error
    throw new OnboardingRefused(`${error.message}; the previous credentials are restored`, { cause: error })
  })
  return replaced
}
