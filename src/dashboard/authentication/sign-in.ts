import { fail } from '../../api/http/api-error.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import { User } from '../../db/entities/user.ts'
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
  const user = await em.findOne(User, { email }, { populate: ['passwordHash'] })
  const isMatch = await verifyPassword(attempt.password, user?.passwordHash ?? null)
  if (!user || !isMatch || user.disabledAt) fail('sign_in_refused')
  if (user.accountUuid && (await em.count(Account, { uuid: user.accountUuid, status: 'BLOCKED' })) > 0)
    fail('account_blocked')
  await counted.forget()
  return user
}

export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** A counter of failed attempts with its limit and its own advisory lock. */
type AttemptCounter = {
  /** What is counted: an SQL condition on `sign_in_attempt` and its values. */
  where: [sql: string, values: Buffer[]]
  max: number
}

/**
 * Counts the attempt under the locks of its counters: however many arrive concurrently, in however many processes, no
 * more than the limit reach the password check. `forget` removes the count of this device, or of this e-mail and
 * network.
 */
async function countSignInAttempt(
  em: EntityManager,
  { email, address, isAddressOfCaller, device }: SignInAttempt,
): Promise<{ forget(): Promise<void> }> {
  const [emailHash, networkHash] = [sha256(email), sha256(toClientNetwork(address))]
  const deviceHash = hasSignedInOnDevice(device, email) ? sha256(`${device.device} ${email}`) : null
  const ownLimit: AttemptCounter = deviceHash
    ? { where: ['device_hash = ?', [deviceHash]], max: MAX_FAILURES_PER_DEVICE }
    : {
        where: ['device_hash is null and email_hash = ? and address_hash = ?', [emailHash, networkHash]],
        max: MAX_FAILURES_PER_EMAIL_AND_NETWORK,
      }
  await em.fork().transactional(async inner => {
    const locked = deviceHash ? [deviceHash] : isAddressOfCaller ? [emailHash, networkHash] : [emailHash]
    for (const lock of locked.map(hash => hash.readInt32BE()).sort((a, b) => a - b))
      await inner.execute('select pg_advisory_xact_lock(7013008, ?)', [lock])
    await inner.execute(`delete from sign_in_attempt where at < now() - interval '1 day'`)
    for (const { where, max: maxAttempts } of deviceHash
      ? [ownLimit]
      : await limitsOfStranger(inner, ownLimit))
      if ((await countMatchingAttempts(inner, where)) >= maxAttempts)
        fail('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    await inner.execute(
      'insert into sign_in_attempt (email_hash, address_hash, device_hash) values (?, ?, ?)',
      [emailHash, networkHash, deviceHash],
    )
  })
  return {
    async forget() {
      const [sql, values] = ownLimit.where
      await em.execute(`delete from sign_in_attempt where ${sql}`, values)
    },
  }

  async function limitsOfStranger(
    inner: EntityManager,
    { where }: AttemptCounter,
  ): Promise<AttemptCounter[]> {
    const ofEmail = await countMatchingAttempts(inner, [
      'device_hash is null and email_hash = ?',
      [emailHash],
    ])
    const maxAttempts =
      ofEmail < DISTRIBUTED_ATTACK_FAILURES
        ? MAX_FAILURES_PER_EMAIL_AND_NETWORK
        : MAX_FAILURES_DURING_DISTRIBUTED_ATTACK
    const ofNetwork: AttemptCounter = {
      where: ['device_hash is null and address_hash = ?', [networkHash]],
      max: MAX_FAILURES_PER_NETWORK,
    }
    return [{ where, max: maxAttempts }, ...(isAddressOfCaller ? [ofNetwork] : [])]
  }
}

async function countMatchingAttempts(em: EntityManager, [sql, values]: AttemptCounter['where']) {
  const [row] = await em.execute<{ attempts: string }[]>(
    `select count(*) as attempts from sign_in_attempt
     where at > now() - interval '${WINDOW_MINUTES} minutes' and ${sql}`,
    values,
  )
  return Number(row!.attempts)
}
