import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Account } from '../db/entities/account.ts'
import { Token } from '../db/entities/token.ts'
import { generateToken, type TokenMode } from '../security/tokens.ts'

/** What an administrator does to accounts: the command line and the local demo share it. */

export async function createAccount(
  em: EntityManager,
  holder: { name: string; document: string },
): Promise<Account> {
  const account = em.create(Account, { uuid: randomUUID(), ...holder })
  await em.flush()
  return account
}

export type IssueTokenInput = {
  /** Where the order may come twice: the second is refused by the database. */
  uuid?: string
  accountUuid: string
  name: string
  mode: TokenMode
  /** Binds it to one connection of the account. */
  connectionUuid?: string
  expiresAt?: Date
}

/** Issues a token and answers its text, which is shown this once and never stored. */
export async function issueToken(em: EntityManager, order: IssueTokenInput): Promise<string> {
  const { token, hash, prefix } = generateToken(order.mode)
  em.create(Token, { uuid: randomUUID(), ...order, hash, prefix })
  await em.flush()
  return token
}

/** Revokes the tokens of an account that carry a name; they stop working everywhere within a second. */
export async function revokeTokens(
  em: EntityManager,
  { accountUuid, name }: { accountUuid: string; name: string },
) {
  await em.nativeUpdate(Token, { accountUuid, name, revokedAt: null }, { revokedAt: new Date() })
}

/** Revokes one token of an account; one that is revoked already stays as it is. */
export async function revokeToken(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid: string },
) {
  await em.nativeUpdate(Token, { accountUuid, uuid, revokedAt: null }, { revokedAt: new Date() })
}

/** The tokens of an account, revoked ones last, each newest first; nothing in them opens anything. */
export function listTokens(em: EntityManager, accountUuid: string): Promise<Token[]> {
  const orderBy = [{ revokedAt: 'desc nulls first' as const }, { createdAt: 'desc' as const }]
  return em.find(Token, { accountUuid }, { orderBy, limit: MAX_LISTED_TOKENS })
}

/** Tokens of years stay in the table; a person looks at these. */
const MAX_LISTED_TOKENS = 200
