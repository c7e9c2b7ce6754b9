import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Charge } from '../db/entities/charge.ts'
import { Connection } from '../db/entities/connection.ts'
import { runQuery } from '../db/pipeline/query.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { queryChargeKind } from '../db/repositories/charges.ts'
import {
  deleteIdentities,
  findIdentifiedAccounts,
  lockIdentities,
  storeIdentities,
} from '../db/repositories/provider-account-identities.ts'
import { referenceOf } from '../domain/pix/identifiers.ts'
import { detectPixKeyType } from '../domain/pix-keys/key-format.ts'
import type { AccountIdentity, PayoutHandle } from '../domain/providers/provider.ts'
import { PAYOUT_NOUNS } from '../domain/shared/nouns.ts'
import type { Provider } from '../providers/port.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Sealer } from '../security/sealing.ts'
import { type AccountMatch, compareIdentities, hashIdentity } from './provider-account.ts'

/** The credentials were refused; nothing was changed. */
export class CredentialsRefused extends Error {
  override name = 'CredentialsRefused'
}

export type ReplaceCredentialsInput = {
  connectionUuid: string
  credentials: unknown
  actor: string
  reason: string
}
export type ReplaceCredentialsResult = {
  connection: Connection
  previous: Connection
  isProved: boolean
  /** What identifies the account now and did not before. */
  addedHashes: string[]
}
type CredentialDependencies = { providers: ProviderRegistry; sealer: Sealer }

/**
 * Replaces a connection's credentials by others of the same account at the provider. Credentials of another account are
 * refused. Where the account is not proved, they are refused while attempts through the connection have an unknown outcome,
 * and otherwise start another epoch. The providers are called before the transaction, which changes only the row that they
 * were called about. Returns the connection after and before the change, and whether the account was proved.
 */
export async function replaceCredentials(
  em: EntityManager,
  { providers, sealer }: CredentialDependencies,
  { connectionUuid, credentials, actor, reason }: ReplaceCredentialsInput,
): Promise<ReplaceCredentialsResult> {
  const populate = ['sealedCredentials', 'providerIdentity'] as const
  const previous = await em.fork().findOne(Connection, connectionUuid, { populate })
  if (!previous) throw new CredentialsRefused(`there is no connection ${connectionUuid}`)
  const sealedCredentials = sealer.seal(credentials)
  const { provider, dialect, baseUrl } = previous
  // Throws on invalid credentials. A separate adapter: that of the connection keeps its credentials until the change.
  const target = { uuid: randomUUID(), provider, dialect, baseUrl, sealedCredentials }
  const candidate = providers.providerFor(target)
  const identity = await candidate.identity()
  if (identity.kind === 'no_answer' && identity.code === 'no_token')
    throw new CredentialsRefused(`${provider} does not accept these credentials: ${identity.message}`)
  const candidateHashes = identity.kind === 'found' ? hashIdentity(identity) : null
  const knownHashes =
    previous.providerIdentity ?? (await fetchIdentityHashes(providers.providerFor(previous)))
  const accounts = { connection: previous, candidate, sealer, knownHashes, candidateHashes }
  const match = await compareAccounts(em.fork(), accounts)
  if (match === 'other')
    throw new CredentialsRefused(
      `these credentials belong to another account at ${provider} than those of ${connectionUuid}; connect it as another connection`,
    )
  const isProved = match === 'same'
  const unresolved = isProved ? 0 : await countUnresolved(em.fork(), connectionUuid)
  if (unresolved > 0)
    throw new CredentialsRefused(
      `it cannot be proved that these credentials belong to the same account at ${provider}, and ${unresolved} attempts through ${connectionUuid} have an unknown outcome; settle them first`,
    )
  return runAuditedAction(em, {
    by: { actor, reason },
    action: 'connection_credentials',
    subject: `connection/${connectionUuid}`,
    async work(tx) {
      const addedHashes = identity.kind === 'found' ? await claimIdentity(tx, previous, identity) : []
      const columns = {
        sealedCredentials,
        secretKeyId: sealer.keyId,
        updatedAt: new Date(),
        ...(candidateHashes && { providerIdentity: candidateHashes }),
        ...(!isProved && { credentialsEpoch: previous.credentialsEpoch + 1 }),
      }
      const unchanged = { uuid: connectionUuid, sealedCredentials: previous.sealedCredentials }
      const refusal = `the credentials of ${connectionUuid} were changed at the same time; try again`
      if ((await tx.nativeUpdate(Connection, unchanged, columns)) === 0) throw new CredentialsRefused(refusal)
      const reading = { populate: ['sealedCredentials'], refresh: true } as const
      const connection = await tx.findOneOrFail(Connection, connectionUuid, reading)
      return { connection, previous, isProved, addedHashes }
    },
  })
}

/** Stores the identity of the connection's provider account; refuses that of another provider account. */
async function claimIdentity(
  tx: EntityManager,
  { uuid, dialect, providerAccountUuid }: Connection,
  identity: AccountIdentity,
): Promise<string[]> {
  await lockIdentities(tx)
  const hashes = hashIdentity(identity)
  const keys = 'keys' in identity ? identity.keys : []
  const accounts = await findIdentifiedAccounts(tx, { dialect, hashes, keys })
  const other = accounts.find(one => one.uuid !== providerAccountUuid)
  if (other)
    throw new CredentialsRefused(
      `these credentials belong to the account that is connected as ${other.provider} "${other.name}", not to that of ${uuid}`,
    )
  return storeIdentities(tx, { providerAccountUuid, dialect, hashes })
}

/**
 * Restores the credentials that unproved ones had replaced, where the provider did not register the callback address
 * with those: they may belong to another account. Attempts called with them keep their epoch.
 */
export function rollBackCredentials(
  em: EntityManager,
  { connection, previous, addedHashes }: Omit<ReplaceCredentialsResult, 'isProved'>,
  actor: string,
): Promise<boolean> {
  const { uuid, sealedCredentials, credentialsEpoch, dialect, providerAccountUuid } = connection
  return runAuditedAction(em, {
    by: { actor, reason: 'its callback address was not registered' },
    action: 'connection_credentials_withdraw',
    subject: `connection/${uuid}`,
    async work(tx) {
      const columns = {
        sealedCredentials: previous.sealedCredentials,
        secretKeyId: previous.secretKeyId,
        providerIdentity: previous.providerIdentity,
        updatedAt: new Date(),
        credentialsEpoch: credentialsEpoch + 1,
      }
      if ((await tx.nativeUpdate(Connection, { uuid, sealedCredentials }, columns)) === 0) return false
      await deleteIdentities(tx, { providerAccountUuid, dialect, hashes: addedHashes })
      return true
    },
  })
}

async function fetchIdentityHashes(provider: Provider): Promise<string[]> {
  const identity = await provider.identity()
  return identity.kind === 'found' ? hashIdentity(identity) : []
}

type CompareAccountsInput = {
  connection: Connection
  candidate: Provider
  sealer: Sealer
  knownHashes: string[]
  candidateHashes: string[] | null
}

/** Compares the accounts by their identity, else by whether the candidate finds operations of the connection. */
async function compareAccounts(
  em: EntityManager,
  { knownHashes, candidateHashes, ...accounts }: CompareAccountsInput,
): Promise<AccountMatch> {
  const byIdentity = compareIdentities(knownHashes, candidateHashes ?? [])
  if (byIdentity !== 'unproved') return byIdentity
  const byPayments = await compareKnownPayments(em, accounts)
  if (byPayments !== 'unproved') return byPayments
  return isCollectionKeyMissing(accounts.connection, candidateHashes ?? []) ? 'other' : 'unproved'
}

/**
 * Looks up what the provider accepted last, by our id, which is random, or by its own: only the account that has it finds it.
 */
async function compareKnownPayments(
  em: EntityManager,
  { connection, candidate, sealer }: Pick<CompareAccountsInput, 'connection' | 'candidate' | 'sealer'>,
): Promise<AccountMatch> {
  const { uuid: connectionUuid, credentialsEpoch } = connection
  const orderBy = { createdAt: 'desc' } as const
  const through = { connectionUuid, credentialsEpoch }
  const charge = await em.findOne(Attempt, { ...through, operation: 'issue', state: 'accepted' }, { orderBy })
  const transferStates = { state: { $in: ['accepted', 'settled'] } } as const
  const transfer = await em.findOne(
    Attempt,
    { ...through, operation: 'transfer', ...transferStates },
    { orderBy },
  )
  const handle = transfer?.sealedHandle ? sealer.open<PayoutHandle>(transfer.sealedHandle) : undefined
  const answers = [
    charge &&
      (await candidate.findCharge(
        referenceOf(charge.subjectUuid),
        await runQuery(em, queryChargeKind(charge.subjectUuid)),
      )),
    transfer &&
      (await candidate.findTransfer({ id: referenceOf(transfer.subjectUuid), ...(handle && { handle }) })),
  ]
  if (answers.some(answer => answer?.kind === 'found' || answer?.kind === 'awaiting_approval')) return 'same'
  return answers.some(answer => answer?.kind === 'not_found') ? 'other' : 'unproved'
}

/** A random key stays with its account: an account that lists others, and not the connection's, is another account. */
function isCollectionKeyMissing({ collectionKey }: Connection, hashes: string[]): boolean {
  if (!collectionKey || detectPixKeyType(collectionKey) !== 'RANDOM') return false
  const [keyHash] = hashIdentity({ kind: 'found', keys: [collectionKey] })
  return hashes.some(hash => hash.startsWith('key:')) && !hashes.includes(keyHash!)
}

/** Counts the attempts whose outcome is unknown, and the charges that can still be paid. */
async function countUnresolved(em: EntityManager, connectionUuid: string): Promise<number> {
  const isUnknown = { state: { $in: ['calling', 'unknown', 'orphan'] } } as const
  const isAccepted = { state: 'accepted', operation: { $in: [...PAYOUT_NOUNS] } } as const
  const attempts = await em.count(Attempt, { connectionUuid, $or: [isUnknown, isAccepted] })
  const payable = { connection: connectionUuid, state: { $in: ['pending', 'debiting', 'paying'] } } as const
  return attempts + (await em.count(Charge, payable))
}
