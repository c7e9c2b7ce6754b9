import { randomBytes, randomUUID } from 'node:crypto'
import { User } from '../db/entities/user.ts'
import type { EntityManager } from '../db/orm.ts'
import { passwordHash, SHORTEST_PASSWORD } from '../passwords.ts'

/** Who may sign in at the dashboard: for one account, or as an operator of the service. */

export type UserOrder = {
  email: string
  password: string
  /** Null makes an operator. */
  accountUuid: string | null
}

export async function addUser(em: EntityManager, order: UserOrder): Promise<User> {
  const email = normalizedEmail(order.email)
  if ((await em.count(User, { email })) > 0) throw new Error(`${email} is a user already`)
  const user = em.create(User, {
    uuid: randomUUID(),
    accountUuid: order.accountUuid,
    email,
    passwordHash: await passwordHash(longEnough(order.password)),
    role: order.accountUuid === null ? 'operator' : 'merchant',
  })
  await em.flush()
  return user
}

export async function setPassword(em: EntityManager, email: string, password: string): Promise<void> {
  await change(em, email, { passwordHash: await passwordHash(longEnough(password)) })
}

/** A disabled user signs in no more, and is inside nowhere, even when enabled again; what they did stays theirs. */
export async function disableUser(em: EntityManager, email: string): Promise<void> {
  await change(em, email, { disabledAt: new Date() })
  await endSessions(em, ['email = ?', normalizedEmail(email)])
}

/** Of all users of an account that is blocked: unblocked, they sign in anew. */
export function endSessionsOf(em: EntityManager, accountUuid: string): Promise<void> {
  return endSessions(em, ['account_uuid = ?', accountUuid])
}

async function endSessions(em: EntityManager, [whose, value]: [string, string]): Promise<void> {
  await em.execute(
    `update dashboard_session set revoked_at = now()
     where revoked_at is null and user_uuid in (select uuid from app_user where ${whose})`,
    [value],
  )
}

export function enableUser(em: EntityManager, email: string): Promise<void> {
  return change(em, email, { disabledAt: null })
}

/** 128 random bits, easy to copy. */
export function newUserPassword(): string {
  return randomBytes(16).toString('base64url')
}

async function change(
  em: EntityManager,
  email: string,
  values: { passwordHash?: string; disabledAt?: Date | null },
): Promise<void> {
  const changed = await em.nativeUpdate(User, { email: normalizedEmail(email) }, values)
  if (changed === 0) throw new Error(`there is no user ${email}`)
}

function normalizedEmail(email: string): string {
  const normalized = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(normalized)) throw new Error(`${email} is no e-mail address`)
  return normalized
}

function longEnough(password: string): string {
  if (password.length < SHORTEST_PASSWORD)
    throw new Error(`a password has at least ${SHORTEST_PASSWORD} characters`)
  return password
}
