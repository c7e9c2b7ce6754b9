import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Token } from '../db/entities/token.ts'
import { sendChanges } from '../db/pipeline/query.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import type { TokenScope } from '../domain/tokens/token-scope.ts'
import { generateToken, type TokenMode } from '../security/tokens.ts'

/** What operators, and owners of an account, do to its API tokens, recorded on the account. Only the hash of a token is stored. */

export type IssueTokenInput = {
  /** Where the request may be repeated: the database rejects the second one. */
  uuid?: string
  accountUuid: string
  name: string
  /** The person who makes it, in lower case: who approves what it orders must be another one. Absent: a program. */
  author?: string
  mode: TokenMode
  /** Binds it to one connection of the account. */
  connectionUuid?: string
  /** Default: all. */
  scopes?: TokenScope[]
  /** Addresses and networks as `parseAllowedAddresses` writes them. Default: from anywhere. */
  allowedAddresses?: string[]
  expiresAt?: Date
}

/** Inserts the row of a token and returns its text, which is not stored. A person issues one by `issueToken`. */
export async function createToken(em: EntityManager, order: IssueTokenInput): Promise<string> {
  const { token, hash, prefix } = generateToken(order.mode)
  em.create(Token, { uuid: randomUUID(), ...order, hash, prefix })
  await sendChanges(em)
  return token
}

/** Issues a token and returns its text, which is not stored. */
export function issueToken(
  em: EntityManager,
  order: ActionAuthor & { token: IssueTokenInput & { uuid: string } },
): Promise<string> {
  const { token } = order
  return runAuditedAction(em, {
    by: order,
    action: 'token_issue',
    subject: `account/${token.accountUuid}`,
    work: tx => createToken(tx, { ...token, author: order.actor.toLowerCase() }),
  })
}

/** What may be changed about a token. */
export type TokenPermissions = { scopes?: TokenScope[]; allowedAddresses?: string[] }

/**
 * Changes what a token may be used for and from where, in every process within a second. Returns false where the account has
 * no such token that is not revoked.
 */
export function changeTokenPermissions(
  em: EntityManager,
  order: ActionAuthor & { uuid: string; accountUuid: string; permissions: TokenPermissions },
): Promise<boolean> {
  const { uuid, accountUuid, permissions } = order
  return runAuditedAction(em, {
    by: order,
    action: 'token_restrict',
    subject: `account/${accountUuid}`,
    work: async tx => (await tx.nativeUpdate(Token, { uuid, accountUuid, revokedAt: null }, permissions)) > 0,
  })
}

/**
 * Revokes tokens of an account by name or uuid, in every process within a second. Returns false where none is left to revoke:
 * revoked ones stay unchanged.
 */
export function revokeTokens(
  em: EntityManager,
  order: ActionAuthor & { accountUuid: string; which: { name: string } | { uuid: string } },
): Promise<boolean> {
  const { accountUuid, which } = order
  return runAuditedAction(em, {
    by: order,
    action: 'token_revoke',
    subject: `account/${accountUuid}`,
    work: async tx =>
      (await tx.nativeUpdate(Token, { accountUuid, ...which, revokedAt: null }, { revokedAt: new Date() })) >
      0,
  })
}

/** Sets the expiry of a token. Returns false where there is no such token. */
export async function expireToken(
  em: EntityManager,
  order: ActionAuthor & { uuid: string; expiresAt: Date },
): Promise<boolean> {
  const { uuid, expiresAt } = order
  const token = await runAuditedAction<Token | null>(em, {
    by: order,
    action: 'token_expire',
    subject: changed => `account/${changed?.accountUuid}`,
    hasChanged: changed => changed !== null,
    async work(tx) {
      const found = await tx.findOne(Token, uuid)
      if (found) found.expiresAt = expiresAt
      return found
    },
  })
  return token !== null
}

/** Lists the tokens of an account without their secrets: revoked ones last, each newest first. */
export function listTokens(em: EntityManager, accountUuid: string): Promise<Token[]> {
  const orderBy = [{ revokedAt: 'desc nulls first' as const }, { createdAt: 'desc' as const }]
  return em.find(Token, { accountUuid }, { orderBy, limit: MAX_LISTED_TOKENS })
}

/** Limit of listed tokens: revoked tokens stay in the table for years. */
const MAX_LISTED_TOKENS = 200
