import { randomBytes } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Account } from '../../db/entities/account.ts'
import { User } from '../../db/entities/user.ts'
import { deleteExpiredSessions, insertSession } from '../../db/repositories/dashboard-sessions.ts'
import {
  countSignInAttempts,
  deleteSignInAttempts,
  insertSignInAttempt,
  lockSignInAttempts,
} from '../../db/repositories/sign-in-attempts.ts'
import { fail } from '../../http/api-error.ts'
import { verifyPassword } from '../../security/passwords.ts'
import { sha256 } from '../../security/sealing.ts'
import { toClientNetwork } from './client-network.ts'
import { type DeviceCookie, hasSignedInOnDevice } from './device-cookie.ts'

/**
 * Limits of failed sign-ins within the window; after one is reached, further sign-ins fail. Each is counted separately, so
 * that failures of strangers never count against a device that has signed in before:
 *
 * - per e-mail and device that it has signed in on: nothing else counts for that device;
 * - per e-mail and network, for devices without a cookie of that e-mail;
 * - the same during a distributed attack, when many networks fail for one e-mail: each network gets fewer attempts, and a
 *   network without failures still gets these;
 * - per network over all e-mails, where the network is known to be the client's own and not a proxy's.
 */
const MAX_FAILURES_PER_DEVICE = 10
const MAX_FAILURES_PER_EMAIL_AND_NETWORK = 10
const MAX_FAILURES_DURING_DISTRIBUTED_ATTACK = 3
const DISTRIBUTED_ATTACK_FAILURES = 50
const MAX_FAILURES_PER_NETWORK = 100
const WINDOW_MINUTES = 15

export type SignInAttempt = {
  email: string
  password: string
  /** Client address, from the connection or from the proxy in front. */
  address: string
  /** Whether a proxy of ours reports `address` (TRILHO_BEHIND_PROXY); else it may be a proxy that all users share. */
  isAddressOfCaller: boolean
  device: DeviceCookie | null
}

/**
 * Authenticates a user by e-mail and password. All failures give the same error after the same time, an unknown
 * e-mail included; only with the right password does the error say that the account is blocked. The attempt is
 * counted before the password is compared, and the count is removed after a success.
 */
export async function authenticateUser(em: EntityManager, attempt: SignInAttempt): Promise<User> {
  const email = normalizeEmail(attempt.email)
  const counted = await countSignInAttempt(em, { ...attempt, email })
  const user = await em.findOne(User, { email, removedAt: null }, { populate: ['passwordHash'] })
  const isMatch = await verifyPassword(attempt.password, user?.passwordHash ?? null)
  if (!user || !isMatch || user.disabledAt) fail('sign_in_refused')
  await requireActiveAccount(em, user)
  await counted.forget()
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
  await deleteExpiredSessions(em)
  return secret
}

const MAX_USER_AGENT_LENGTH = 512

function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/**
 * Counts the attempt under the locks of what it counts for: however many arrive concurrently, in however many processes,
 * no more than the limit reach the password check. `forget` removes the count of this device, or of this e-mail and
 * network.
 */
async function countSignInAttempt(
  em: EntityManager,
  { email, address, isAddressOfCaller, device }: SignInAttempt,
): Promise<{ forget(): Promise<void> }> {
  const [emailHash, addressHash] = [sha256(email), sha256(toClientNetwork(address))]
  const deviceHash = hasSignedInOnDevice(device, email) ? sha256(`${device.device} ${email}`) : null
  const hashes = { emailHash, addressHash, deviceHash }
  await runInTransaction(em, async inner => {
    const counted = deviceHash ? [deviceHash] : isAddressOfCaller ? [emailHash, addressHash] : [emailHash]
    await lockSignInAttempts(inner, counted)
    const failures = await countSignInAttempts(inner, { ...hashes, minutes: WINDOW_MINUTES })
    const max =
      failures.ofEmail < DISTRIBUTED_ATTACK_FAILURES
        ? MAX_FAILURES_PER_EMAIL_AND_NETWORK
        : MAX_FAILURES_DURING_DISTRIBUTED_ATTACK
    const isLimitReached = deviceHash
      ? failures.ofDevice >= MAX_FAILURES_PER_DEVICE
      : failures.ofEmailAndNetwork >= max ||
        (isAddressOfCaller && failures.ofNetwork >= MAX_FAILURES_PER_NETWORK)
    if (isLimitReached) fail('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    await insertSignInAttempt(inner, hashes)
  })
  return { forget: () => deleteSignInAttempts(em, hashes) }
}
