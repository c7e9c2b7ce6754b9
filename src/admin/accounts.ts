import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { Token } from '../db/entities/token.ts'
import { ROW_LOCK } from '../db/locks.ts'
import { revokeUserSessions } from '../db/repositories/dashboard-sessions.ts'
import type { TokenScope } from '../domain/tokens/token-scope.ts'
import { generateToken, type TokenMode } from '../security/tokens.ts'

/** Creates and changes accounts and tokens, for the command line and the local demo. */

/** `uuid`: where the request may be repeated; the database rejects the second one. */
export async function createAccount(
  em: EntityManager,
  holder: { uuid?: string; name: string; document: string },
) {
  const account = em.create(Account, { uuid: randomUUID(), ...holder })
  await em.flush()
  return account
}

/** What operators change of an account. */
export type AccountChange = Partial<
  Pick<Account, 'status' | 'unmatchedPolicy' | 'disputedSplitPolicy' | 'uniqueExternalRef' | 'timeZone'>
>

/** Changes an account under its row lock. A block ends the sessions of its users. */
export async function changeAccount(em: EntityManager, uuid: string, change: AccountChange): Promise<void> {
  const account = await em.findOne(Account, uuid, ROW_LOCK)
  if (!account) throw new Error(`there is no account ${uuid}`)
  Object.assign(account, change)
  if (change.status === 'BLOCKED') await revokeUserSessions(em, { accountUuid: uuid })
}

export type IssueTokenInput = {
  /** Where the request may be repeated: the database rejects the second one. */
  uuid?: string
  accountUuid: string
  name: string
  mode: TokenMode
  /** Binds it to one connection of the account. */
  connectionUuid?: string
  /** Default: all. */
  scopes?: TokenScope[]
  /** Addresses and networks as `parseAllowedAddresses` writes them. Default: from anywhere. */
  allowedAddresses?: string[]
  expiresAt?: Date
}

/** Creates a token and returns its text, which is not stored. */
export async function issueToken(em: EntityManager, order: IssueTokenInput): Promise<string> {
  const { token, hash, prefix } = generateToken(order.mode)
  em.create(Token, { uuid: randomUUID(), ...order, hash, prefix })
  await em.flush()
  return token
}

/** What may be changed about a token. */
export type TokenPermissions = { scopes?: TokenScope[]; allowedAddresses?: string[] }

/**
 * Changes what a token may be used for and from where, in every process within a second. Returns false where the account has
 * no such token that is not revoked.
 */
export async function changeTokenPermissions(
  em: EntityManager,
  { uuid, accountUuid }: { uuid: string; accountUuid: string },
  permissions: TokenPermissions,
): Promise<boolean> {
  return (await em.nativeUpdate(Token, { uuid, accountUuid, revokedAt: null }, permissions)) > 0
}

/** Revokes tokens of an account by name or uuid, in every process within a second; revoked ones stay unchanged. */
export async function revokeTokens(
  em: EntityManager,
  tokens: { accountUuid: string } & ({ name: string } | { uuid: string }),
) {
  await em.nativeUpdate(Token, { ...tokens, revokedAt: null }, { revokedAt: new Date() })
}

/** Lists the tokens of an account without their secrets: revoked ones last, each newest first. */
export function listTokens(em: EntityManager, accountUuid: string): Promise<Token[]> {
  const orderBy = [{ revokedAt: 'desc nulls first' as const }, { createdAt: 'desc' as const }]
  return em.find(Token, { accountUuid }, { orderBy, limit: MAX_LISTED_TOKENS })
}

/** Limit of listed tokens: revoked tokens stay in the table for years. */
const MAX_LISTED_TOKENS = 200
