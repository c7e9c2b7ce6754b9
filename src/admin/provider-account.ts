import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { Connection, ProviderAccount } from '../db/entities/connection.ts'
import {
  findIdentifiedAccounts,
  listIdentityHashes,
  listProviderAccountHolders,
  lockIdentities,
  type ProviderAccountHolder,
  type ProviderAccountName,
} from '../db/repositories/provider-account-identities.ts'
import type { AccountIdentity } from '../domain/providers/provider.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { sha256 } from '../security/sealing.ts'
import { type CreateConnectionInput, OnboardingRefused } from './connections.ts'

/** Decides under which provider account a connection may be made: one account at a bank is one of ours, in one mode. */

/** Hashes what identifies an account at its provider, each with its kind, for storage. */
export function hashIdentity(identity: AccountIdentity): string[] {
  const hash = (kind: string, text: string) => `${kind}:${sha256(text).toString('base64url')}`
  if ('id' in identity) return [hash('id', identity.id)]
  const { keys, code } = identity
  return [...keys.map(key => hash('key', key)), ...(code === undefined ? [] : [hash('code', code)])]
}

/** Result of a comparison of two accounts: proved the same, proved different, or not proved. */
export type AccountMatch = 'same' | 'other' | 'unproved'

/**
 * Compares identities: a common hash proves the same account, two account ids of the provider prove two. Removed keys prove
 * nothing.
 */
export function compareIdentities(before: string[], now: string[]): AccountMatch {
  if (now.some(hash => before.includes(hash))) return 'same'
  const hasId = (hashes: string[]) => hashes.some(hash => hash.startsWith('id:'))
  return hasId(before) && hasId(now) ? 'other' : 'unproved'
}

type NamedAccount = Pick<
  CreateConnectionInput,
  'accountUuid' | 'provider' | 'providerAccount' | 'dialect' | 'type' | 'isSimulated'
>

/** Finds the provider account of this provider, mode and name. */
function findNamedAccount(
  em: EntityManager,
  { provider, isSimulated, providerAccount: name }: NamedAccount,
): Promise<ProviderAccount | null> {
  return em.findOne(ProviderAccount, { provider, isSimulated, name })
}

/**
 * Asks the provider, through the connections that exist, which account has the name now: keys may have been replaced
 * since they were stored. Empty where no connection of that name is identified.
 */
export async function readNamedIdentity(
  em: EntityManager,
  providers: ProviderRegistry,
  order: NamedAccount,
): Promise<string[]> {
  const account = await findNamedAccount(em, order)
  if (!account) return []
  const connections = await em.find(
    Connection,
    { providerAccountUuid: account.uuid, status: 'ACTIVE' },
    { populate: ['sealedCredentials'], orderBy: { createdAt: 'asc' }, limit: MAX_CONNECTIONS_TRIED },
  )
  for (const connection of connections) {
    const identity = await providers.providerFor(connection).identity()
    if (identity.kind === 'found') return hashIdentity(identity)
  }
  return []
}

/** Connections of a name that are called, one after another, until one identifies its account. */
const MAX_CONNECTIONS_TRIED = 3

type AccountToConnect = {
  order: NamedAccount
  identity: AccountIdentity
  /** What connections of that name are identified by now (`readNamedIdentity`). */
  currentHashes: string[]
  /** Whether the operator says that the connection shares the money of a provider account that is connected already. */
  joins: boolean
}

/**
 * Refuses a connection to an account at the bank that is connected under another provider, name or mode, one under a name
 * that another account at the bank has, one that would share money without `joins`, and one in another owner's name. Until
 * the caller's transaction ends, no other one compares identities.
 */
export async function requireOneAccount(
  tx: EntityManager,
  { order, identity, currentHashes, joins }: AccountToConnect,
): Promise<void> {
  await lockIdentities(tx)
  const account = await findNamedAccount(tx, order)
  const hashes = hashIdentity(identity)
  const keys = 'keys' in identity ? identity.keys : []
  const knownAccounts = await findIdentifiedAccounts(tx, { dialect: order.dialect, hashes, keys })
  refuseOtherName(order, knownAccounts, account)
  if (!account) return
  const holders = await listProviderAccountHolders(tx, account.uuid)
  const knownHashes = [...(await listIdentityHashes(tx, account.uuid)), ...currentHashes]
  const isKnown = knownHashes.length > 0 || holders.length > 0
  if (knownAccounts.length === 0 && isKnown && compareIdentities(knownHashes, hashes) !== 'same')
    throw new OnboardingRefused(
      'provider_account',
      'is the name of another account at {provider}, or of one that is not proved to be the same: to connect another account, give it a name of its own',
      { provider: order.provider },
    )
  await requireOwner(tx, order, account)
  if (holders.length > 0 && !joins)
    throw new OnboardingRefused(
      'join',
      'must be given on purpose: the account is connected already and holds the money of {holders}',
      { holders: describeHolders(holders) },
    )
}

/** Refuses credentials of an account that is connected under another provider, name or mode than this one. */
function refuseOtherName(
  { isSimulated }: NamedAccount,
  knownAccounts: ProviderAccountName[],
  account: ProviderAccount | null,
): void {
  const other = knownAccounts.find(({ uuid }) => uuid !== account?.uuid)
  if (!other) return
  const gaps = { provider: other.provider, name: other.name }
  if (other.isSimulated !== isSimulated)
    throw new OnboardingRefused(
      'simulated',
      other.isSimulated
        ? 'must be given: the account is connected as a simulator, {provider} "{name}", and is never real as well'
        : 'must not be given: the account is connected as a real one, {provider} "{name}", and is never a simulator as well',
      gaps,
    )
  throw new OnboardingRefused(
    'provider_account',
    'is one account with {provider} "{name}", which is connected already: to share its money, connect it under that provider and name',
    gaps,
  )
}

async function requireOwner(
  tx: EntityManager,
  { type, accountUuid }: NamedAccount,
  { ownerUuid }: ProviderAccount,
): Promise<void> {
  if (type === 'POOL' || ownerUuid === accountUuid) return
  if (!ownerUuid) throw new OnboardingRefused('type', 'must be POOL: the account at the provider is shared')
  const { name: owner } = await tx.findOneOrFail(Account, ownerUuid)
  throw new OnboardingRefused('type', 'must be POOL: the account at the provider is in the name of {owner}', {
    owner,
  })
}

/** Names whose money a provider account holds, the first ones by name. */
function describeHolders(holders: ProviderAccountHolder[]): string {
  const names = holders.slice(0, MAX_NAMED_HOLDERS).map(({ name, type }) => `${name} (${type})`)
  const others = holders.length - names.length
  return others > 0 ? `${names.join(', ')} +${others}` : names.join(', ')
}

const MAX_NAMED_HOLDERS = 10
