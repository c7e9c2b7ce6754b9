import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { User } from '../db/entities/user.ts'
import { lockAccount } from '../db/locks.ts'
import { authorOfUser, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { revokeUserSessions } from '../db/repositories/dashboard-sessions.ts'
import {
  findResettableUser,
  insertPasswordReset,
  lockUserOfReset,
} from '../db/repositories/password-resets.ts'
import { hashPassword } from '../security/passwords.ts'
import { generateResetToken, hashResetToken } from '../security/tokens.ts'
import type { ActingUser } from './account-users.ts'

/** A new password for a user who has forgotten it. The second factor stays as it is. */

type ResetOrder = { uuid: string; actor: ActingUser; accountUuid: string; userUuid: string }

export type StartedReset =
  | { kind: 'created'; token: string; email: string }
  /** The request was repeated: its link was shown, and is not stored. */
  | { kind: 'repeated' }
  /** The account has no such user who may sign in, or it is the acting user. */
  | { kind: 'not_found' }
  | { kind: 'not_owner' }

/** Starts the reset of another user's password, for an owner, who passes the link on. */
export function startMemberReset(
  em: EntityManager,
  { uuid, actor, accountUuid, userUuid }: ResetOrder,
): Promise<StartedReset> {
  return runAuditedAction<StartedReset>(em.fork(), {
    by: authorOfUser(actor),
    action: 'start_password_reset',
    subject: `user/${userUuid}`,
    hasChanged: ({ kind }) => kind === 'created',
    async work(tx) {
      await lockAccount(tx, accountUuid)
      if ((await tx.count(User, { uuid: actor.uuid, accountUuid, role: 'owner', removedAt: null })) === 0)
        return { kind: 'not_owner' }
      const member = await tx.findOne(User, { uuid: userUuid, accountUuid, removedAt: null })
      const user = member && (await findResettableUser(tx, member.email))
      if (!user || user.uuid === actor.uuid) return { kind: 'not_found' }
      const token = generateResetToken()
      const reset = { uuid, userUuid, tokenHash: hashResetToken(token), sealedMessage: null }
      if (!(await insertPasswordReset(tx, reset))) return { kind: 'repeated' }
      return { kind: 'created', token, email: user.email }
    },
  })
}

/** Sets the password of a link's user and ends the user's sessions; null where the link works no more. */
export async function resetPassword(
  em: EntityManager,
  { token, password }: { token: string; password: string },
): Promise<ActingUser | null> {
  const passwordHash = await hashPassword(password)
  return runInTransaction(em, async tx => {
    const user = await lockUserOfReset(tx, hashResetToken(token))
    if (!user) return null
    return runAuditedAction(tx, {
      by: authorOfUser(user),
      action: 'reset_password',
      subject: `user/${user.uuid}`,
      async work() {
        await tx.nativeUpdate(User, { uuid: user.uuid }, { passwordHash })
        await revokeUserSessions(tx, { uuid: user.uuid })
        return user
      },
    })
  })
}
