import { randomBytes, randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { User } from '../db/entities/user.ts'
import { UserTotp } from '../db/entities/user-totp.ts'
import { revokeUserSessions } from '../db/repositories/dashboard-sessions.ts'
import type { AccountRole } from '../domain/users/roles.ts'
import { hashPassword, MIN_PASSWORD_LENGTH } from '../security/passwords.ts'

/** Creates and changes dashboard users: of one account, or operators of the service. */

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

export async function addUser(em: EntityManager, order: AddUserInput): Promise<User> {
  const email = parseEmail(order.email)
  if ((await em.count(User, { email, removedAt: null })) > 0) throw new Error(`${email} already exists`)
  const user = em.create(User, {
    uuid: order.uuid ?? randomUUID(),
    accountUuid: order.accountUuid,
    email,
    name: order.name ?? null,
    passwordHash: await hashPassword(requirePasswordLength(order.password)),
    role: order.accountUuid === null ? 'operator' : (order.role ?? 'owner'),
  })
  await em.flush()
  return user
}

export async function setPassword(em: EntityManager, email: string, password: string): Promise<void> {
  await updateUser(em, email, { passwordHash: await hashPassword(requirePasswordLength(password)) })
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
  const changed = await em.nativeUpdate(User, { email: parseEmail(email), removedAt: null }, values)
  if (changed === 0) throw new Error(`there is no user ${email}`)
}

/** Normalizes an e-mail address; throws on anything else. */
export function parseEmail(email: string): string {
  const normalized = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(normalized)) throw new Error(`${email} is not an e-mail address`)
  return normalized
}

function requirePasswordLength(password: string): string {
  if (password.length < MIN_PASSWORD_LENGTH)
    throw new Error(`a password has at least ${MIN_PASSWORD_LENGTH} characters`)
  return password
}
