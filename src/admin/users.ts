import { randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { User } from '../db/entities/user.ts'
import { UserTotp } from '../db/entities/user-totp.ts'
import { sendChanges } from '../db/pipeline/query.ts'
import { type ActionAuthor, runAuditedAction, toActionAuthor } from '../db/repositories/audited-actions.ts'
import {
  keepSessionOfNewPassword,
  lockVerifiedUser,
  revokeOtherSessions,
  revokeUserSessions,
  type VerifiedUser,
} from '../db/repositories/dashboard-sessions.ts'
import { lockUserOfReset } from '../db/repositories/password-resets.ts'
import type { AccountRole } from '../domain/users/roles.ts'
import { hashPassword, MIN_PASSWORD_LENGTH } from '../security/passwords.ts'
import { hashResetToken } from '../security/tokens.ts'
import type { UserAuthor } from './account-users.ts'

/** What operators do to users of the dashboard, and users to themselves. */

export type AddUserInput = {
  /** Where the request may be repeated: the second one creates nothing. */
  uuid?: string | undefined
  email: string
  password: string
  name?: string
  /** Null: an operator. */
  accountUuid: string | null
  /** Role in the account; an owner where it is absent. */
  role?: AccountRole
}

/** Inserts the row of a user. An operator adds another by `addOperator`, and invites the users of an account. */
export async function addUser(em: EntityManager, { password, ...user }: AddUserInput): Promise<User> {
  return insertUser(em, { ...user, passwordHash: await hashNewPassword(password) })
}

type NewUser = Omit<AddUserInput, 'password'> & { passwordHash: string }

async function insertUser(em: EntityManager, order: NewUser): Promise<User> {
  const email = parseEmail(order.email)
  if ((await em.count(User, { email, removedAt: null })) > 0) throw new Error(`${email} already exists`)
  const user = em.create(User, {
    uuid: order.uuid ?? randomUUID(),
    accountUuid: order.accountUuid,
    email,
    name: order.name ?? null,
    passwordHash: order.passwordHash,
    role: order.accountUuid === null ? 'operator' : (order.role ?? 'owner'),
  })
  await sendChanges(em)
  return user
}

/** Adds an operator. */
export async function addOperator(
  em: EntityManager,
  order: ActionAuthor & Pick<AddUserInput, 'email' | 'password'>,
): Promise<User> {
  const { email, password } = order
  const passwordHash = await hashNewPassword(password)
  return runAuditedAction(em, {
    by: order,
    action: 'user_add',
    subject: ({ uuid }) => `user/${uuid}`,
    work: tx => insertUser(tx, { email, passwordHash, accountUuid: null }),
  })
}

export type UserChange =
  | { kind: 'password'; password: string }
  | { kind: 'disable' | 'enable' | 'totp_reset' }

/** Names of the records in the operator actions. */
const USER_ACTIONS: Record<UserChange['kind'], string> = {
  password: 'user_password',
  disable: 'user_disable',
  enable: 'user_enable',
  totp_reset: 'user_totp_reset',
}

/** Changes a user. Returns false where no user has the e-mail. */
export async function changeUser(
  em: EntityManager,
  order: ActionAuthor & { email: string; change: UserChange },
): Promise<boolean> {
  const { email, change } = order
  const apply = await prepareUserChange(change)
  const user = await runAuditedAction<User | null>(em, {
    by: order,
    action: USER_ACTIONS[change.kind],
    subject: changed => `user/${changed?.uuid}`,
    hasChanged: changed => changed !== null,
    async work(tx) {
      const found = await tx.findOne(User, { email: email.trim().toLowerCase(), removedAt: null })
      if (found) await apply(tx, found.email)
      return found
    },
  })
  return user !== null
}

/** Hashes a new password before the transaction, which waits for nothing but PostgreSQL; returns what runs in it. */
async function prepareUserChange(
  change: UserChange,
): Promise<(tx: EntityManager, email: string) => Promise<void>> {
  switch (change.kind) {
    case 'password': {
      const passwordHash = await hashNewPassword(change.password)
      return (tx, email) => updateUser(tx, email, { passwordHash })
    }
    case 'disable':
      return disableUser
    case 'enable':
      return enableUser
    case 'totp_reset':
      return resetTotp
  }
}

type OwnSession = Parameters<typeof keepSessionOfNewPassword>[1]

/**
 * Replaces the password of the author, and ends every other session. Returns false where it was replaced since it was
 * verified.
 */
export function changeOwnPassword(
  em: EntityManager,
  author: UserAuthor,
  { verified, session, passwordHash }: { verified: VerifiedUser; session: OwnSession; passwordHash: string },
): Promise<boolean> {
  return runAuditedAction(em, {
    by: toActionAuthor(author),
    action: 'change_password',
    subject: `user/${author.uuid}`,
    async work(tx) {
      if (!(await lockVerifiedUser(tx, verified))) return false
      await tx.nativeUpdate(User, { uuid: author.uuid }, { passwordHash })
      await keepSessionOfNewPassword(tx, session)
      return true
    },
  })
}

/** Ends one other session of the author, or all others where `uuid` is absent. */
export function endOtherSessions(
  em: EntityManager,
  author: UserAuthor,
  { session, uuid }: { session: Parameters<typeof revokeOtherSessions>[1]; uuid?: string | undefined },
): Promise<void> {
  return runAuditedAction(em, {
    by: toActionAuthor(author),
    action: 'end_sessions',
    subject: `user/${author.uuid}`,
    work: tx => revokeOtherSessions(tx, session, uuid),
  })
}

/** Sets the password of a reset link's user and ends the user's sessions; null where the link works no more. */
export async function resetPassword(
  em: EntityManager,
  { token, password }: { token: string; password: string },
): Promise<UserAuthor | null> {
  const passwordHash = await hashPassword(password)
  return runInTransaction(em, async tx => {
    const user = await lockUserOfReset(tx, hashResetToken(token))
    if (!user) return null
    return runAuditedAction(tx, {
      by: toActionAuthor(user),
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

export async function setPassword(em: EntityManager, email: string, password: string): Promise<void> {
  await updateUser(em, email, { passwordHash: await hashNewPassword(password) })
}

/** Disables a user and revokes its sessions, which stay revoked when the user is enabled again. */
export async function disableUser(em: EntityManager, email: string): Promise<void> {
  await runInTransaction(em, async tx => {
    await updateUser(tx, email, { disabledAt: new Date() })
    await revokeUserSessions(tx, { email: parseEmail(email) })
  })
}

export function enableUser(em: EntityManager, email: string): Promise<void> {
  return updateUser(em, email, { disabledAt: null })
}

/** Removes the second factor of a user who has lost it, and revokes the user's sessions. */
export async function resetTotp(em: EntityManager, email: string): Promise<void> {
  await runInTransaction(em, async tx => {
    const user = await tx.findOne(User, { email: parseEmail(email), removedAt: null })
    if (!user) throw new Error(`there is no user ${email}`)
    await tx.nativeDelete(UserTotp, { userUuid: user.uuid })
    await revokeUserSessions(tx, { uuid: user.uuid })
  })
}

/** Generates a password of 128 random bits. */
export function generateUserPassword(): string {
  return randomBytes(16).toString('base64url')
}

async function updateUser(
  em: EntityManager,
  email: string,
  values: { passwordHash?: string; disabledAt?: Date | null },
): Promise<void> {
  const count = await em.nativeUpdate(User, { email: parseEmail(email), removedAt: null }, values)
  if (count === 0) throw new Error(`there is no user ${email}`)
}

/** Normalizes an e-mail address; throws on anything else. */
export function parseEmail(email: string): string {
  const normalized = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(normalized)) throw new Error(`${email} is not an e-mail address`)
  return normalized
}

async function hashNewPassword(password: string): Promise<string> {
  if (password.length < MIN_PASSWORD_LENGTH)
    throw new Error(`a password has at least ${MIN_PASSWORD_LENGTH} characters`)
  return hashPassword(password)
}
