import type { EntityManager } from '../db/client/orm.ts'
import { User } from '../db/entities/user.ts'
import { UserTotp } from '../db/entities/user-totp.ts'
import { lockAccount } from '../db/locks.ts'
import { runAuditedAction, toActionAuthor } from '../db/repositories/audited-actions.ts'
import { revokeUserSessions } from '../db/repositories/dashboard-sessions.ts'
import { findResettableUser, insertPasswordReset } from '../db/repositories/password-resets.ts'
import type { AccountRole } from '../domain/users/roles.ts'
import { generateLinkToken, hashResetToken } from '../security/tokens.ts'

/** What an owner does to the users of the account. A change ends the sessions of the changed user. */

/** A user of the dashboard as the author of an action. */
export type UserAuthor = { uuid: string; email: string; accountUuid: string | null }

export type MemberChange =
  | { kind: 'changed' }
  /** The account has no such user. */
  | { kind: 'not_found' }
  /** An owner removed the user before. */
  | { kind: 'removed' }
  /** The account would have no owner who can sign in. */
  | { kind: 'last_owner' }
  /** The user has another role than the one that was confirmed. */
  | { kind: 'stale'; role: AccountRole }
  /** The author is no owner any more. */
  | { kind: 'not_owner' }

type MemberOrder = { author: UserAuthor; accountUuid: string; userUuid: string }

/** Gives a user another role. Repeating it changes nothing. */
export function changeMemberRole(
  em: EntityManager,
  { expectedRole, role, ...order }: MemberOrder & { expectedRole: AccountRole; role: AccountRole },
): Promise<MemberChange> {
  return changeMember(em, order, `make_${role}`, async (tx, member) => {
    if (member.role === role) return { kind: 'unchanged' }
    if (member.role !== expectedRole) return { kind: 'stale', role: member.role as AccountRole }
    if (await isLastOwner(tx, member)) return { kind: 'last_owner' }
    member.role = role
    return { kind: 'changed' }
  })
}

/** Removes a user for ever, with the second factor. The e-mail may be invited again. */
export function removeMember(em: EntityManager, order: MemberOrder): Promise<MemberChange> {
  return changeMember(em, order, 'remove_user', async (tx, member) => {
    if (await isLastOwner(tx, member)) return { kind: 'last_owner' }
    member.removedAt = new Date()
    await tx.nativeDelete(UserTotp, { userUuid: member.uuid })
    return { kind: 'changed' }
  })
}

/** Removes the second factor of another user, who then signs in by the password alone. */
export function resetMemberTotp(em: EntityManager, order: MemberOrder): Promise<MemberChange> {
  return changeMember(em, order, 'reset_totp', async (tx, member) => {
    if (member.uuid === order.author.uuid) return { kind: 'not_found' }
    const deleted = await tx.nativeDelete(UserTotp, { userUuid: member.uuid })
    return { kind: deleted > 0 ? 'changed' : 'unchanged' }
  })
}

export type StartedReset =
  | { kind: 'created'; token: string; email: string }
  /** The request was repeated: its link was shown, and is not stored. */
  | { kind: 'repeated' }
  /** The account has no such user who may sign in, or it is the author. */
  | { kind: 'not_found' }
  | { kind: 'not_owner' }

/** Starts the reset of another user's password; the owner passes the link on. The second factor stays as it is. */
export function startMemberReset(
  em: EntityManager,
  { uuid, author, accountUuid, userUuid }: MemberOrder & { uuid: string },
): Promise<StartedReset> {
  return runAuditedAction<StartedReset>(em, {
    by: toActionAuthor(author),
    action: 'start_password_reset',
    subject: `user/${userUuid}`,
    hasChanged: ({ kind }) => kind === 'created',
    async work(tx) {
      if (!(await lockAccountOfOwner(tx, accountUuid, author))) return { kind: 'not_owner' }
      const member = await tx.findOne(User, { uuid: userUuid, accountUuid, removedAt: null })
      const user = member && (await findResettableUser(tx, member.email))
      if (!user || user.uuid === author.uuid) return { kind: 'not_found' }
      const token = generateLinkToken()
      const reset = { uuid, userUuid, tokenHash: hashResetToken(token), sealedMessage: null }
      if (!(await insertPasswordReset(tx, reset))) return { kind: 'repeated' }
      return { kind: 'created', token, email: user.email }
    },
  })
}

/** Locks an account for a change by one of its owners; false where the author is no owner any more. */
export async function lockAccountOfOwner(
  tx: EntityManager,
  accountUuid: string,
  { uuid }: UserAuthor,
): Promise<boolean> {
  await lockAccount(tx, accountUuid)
  return (await tx.count(User, { uuid, accountUuid, role: 'owner', removedAt: null })) > 0
}

/**
 * Runs a change under the lock of the account, so that two owners act one after the other, and records it. PostgreSQL
 * refuses the removal of the last owner too.
 */
async function changeMember(
  em: EntityManager,
  { author, accountUuid, userUuid }: MemberOrder,
  action: string,
  change: (tx: EntityManager, member: User) => Promise<MemberChange | { kind: 'unchanged' }>,
): Promise<MemberChange> {
  const result = await runAuditedAction<MemberChange | { kind: 'unchanged' }>(em, {
    by: toActionAuthor(author),
    action,
    subject: `user/${userUuid}`,
    hasChanged: ({ kind }) => kind === 'changed',
    async work(tx) {
      if (!(await lockAccountOfOwner(tx, accountUuid, author))) return { kind: 'not_owner' }
      const member = await tx.findOne(User, { uuid: userUuid, accountUuid })
      if (!member) return { kind: 'not_found' }
      if (member.removedAt) return { kind: 'removed' }
      const outcome = await change(tx, member)
      if (outcome.kind !== 'changed') return outcome
      await revokeUserSessions(tx, { uuid: userUuid })
      return outcome
    },
  })
  return result.kind === 'unchanged' ? { kind: 'changed' } : result
}

/** Returns whether no other owner of the account can sign in. The caller holds the lock of the account. */
async function isLastOwner(tx: EntityManager, { uuid, role, accountUuid }: User): Promise<boolean> {
  if (role !== 'owner') return false
  const others = {
    accountUuid,
    role: 'owner' as const,
    removedAt: null,
    disabledAt: null,
    uuid: { $ne: uuid },
  }
  return (await tx.count(User, others)) === 0
}
