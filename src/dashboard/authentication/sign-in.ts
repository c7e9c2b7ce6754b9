import { randomBytes } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Account } from '../../db/entities/account.ts'
import { User } from '../../db/entities/user.ts'
import { insertSession } from '../../db/repositories/dashboard-sessions.ts'
import { fail } from '../../http/api-error.ts'
import { toClientNetwork } from '../../security/ip-address.ts'
import { verifyPassword } from '../../security/passwords.ts'
import { sha256 } from '../../security/sealing.ts'
import { countSignInAttempt, type Visitor } from './attempts.ts'
import type { DeviceCookie } from './device-cookie.ts'

type SignIn = Visitor & { password: string; device: DeviceCookie | null }

/**
 * Authenticates a user by e-mail and password. All failures give the same error after the same time, an unknown
 * e-mail included; only with the right password does the error say that the account is blocked. The attempt is
 * counted before the password is compared, and the count is removed after a success.
 */
export async function authenticateUser(em: EntityManager, attempt: SignIn): Promise<User> {
  const email = attempt.email.trim().toLowerCase()
  const countedAttempt = await countSignInAttempt(em, { ...attempt, email })
  const user = await em.findOne(User, { email, removedAt: null }, { populate: ['passwordHash'] })
  const isMatch = await verifyPassword(attempt.password, user?.passwordHash ?? null)
  if (!user || !isMatch || user.disabledAt) fail('sign_in_refused')
  await requireActiveAccount(em, user)
  await countedAttempt.forget()
  return user
}

/** Fails where the account of a user is blocked. */
export async function requireActiveAccount(em: EntityManager, { accountUuid }: User): Promise<void> {
  if (accountUuid && (await em.count(Account, { uuid: accountUuid, status: 'BLOCKED' })) > 0)
    fail('account_blocked')
}

/** A user as every step of a sign-in found them. */
export type VerifiedSignIn = {
  user: Pick<User, 'uuid' | 'passwordHash'>
  /** The second factor whose code was accepted; null where the user had none. */
  totpUuid: string | null
}

/**
 * Creates a session and returns the secret for the cookie; only its hash is stored. Fails like a wrong password where the
 * password, the second factor or the user has changed since the steps of the sign-in: their checks take a while.
 */
export async function createSession(
  em: EntityManager,
  { user, totpUuid }: VerifiedSignIn,
  { userAgent, address }: { userAgent: string; address: string } = { userAgent: '', address: '' },
): Promise<string> {
  const [secret, csrf] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const verified = { userUuid: user.uuid, passwordDigest: sha256(user.passwordHash) }
  const session = {
    hash: sha256(secret),
    csrf,
    verified,
    totpUuid,
    network: toClientNetwork(address),
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
  }
  if (!(await runInTransaction(em, tx => insertSession(tx, session)))) fail('sign_in_refused')
  return secret
}

const MAX_USER_AGENT_LENGTH = 512
