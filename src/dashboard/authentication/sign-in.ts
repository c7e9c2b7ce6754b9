import { fail } from '../../api/http/api-error.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import { User } from '../../db/entities/user.ts'
import { verifyPassword } from '../../security/passwords.ts'
import { sha256 } from '../../security/sealing.ts'
import { toClientNetwork } from './client-network.ts'
import { type DeviceCookie, hasSignedInOnDevice } from './device-cookie.ts'

/**
 * Failed sign-ins within the window after which further ones are refused, each counted apart, so that what strangers do is
 * never counted against a device that has signed in before:
 *
 * - of one e-mail on one device that it has signed in on: nothing else is counted for that device;
 * - of one e-mail from one network, by devices that are not known for it;
 * - the same while many networks fail for one e-mail: each network gets few, and a network that has not failed still gets those;
 * - of all e-mails from one network, where the network is known to be the caller's own and not a proxy's.
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
  /** Address of the caller, as the connection or the proxy in front tells it. */
  address: string
  /** Whether `address` is told by a proxy of ours (TRILHO_BEHIND_PROXY); else it may be that of a proxy, shared by everybody. */
  isAddressOfCaller: boolean
  device: DeviceCookie | null
}

/**
 * Answers the user whose e-mail and password these are. Refuses every other case alike and after the same time, an e-mail
 * that no user has included; only with the right password it says that the account is blocked. An attempt is counted before
 * the password is compared, and no more once it has succeeded.
 */
export async function authenticateUser(em: EntityManager, attempt: SignInAttempt): Promise<User> {
  const email = normalizeEmail(attempt.email)
  const counted = await countSignInAttempt(em, { ...attempt, email })
  const user = await em.findOne(User, { email }, { populate: ['passwordHash'] })
  const fits = await verifyPassword(attempt.password, user?.passwordHash ?? null)
  if (!user || !fits || user.disabledAt) fail('sign_in_refused')
  if (user.accountUuid && (await em.count(Account, { uuid: user.accountUuid, status: 'BLOCKED' })) > 0)
    fail('account_blocked')
  await counted.forget()
  return user
}

export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Counters of the attempts that a limit holds for; only the locks of its own are taken. */
type AttemptCounter = {
  /** What is counted, as a condition over `sign_in_try` and its values. */
  where: [sql: string, values: Buffer[]]
  max: number
}

/**
 * Counts the attempt under the locks of its counters: however many come at once, through however many processes, no more
 * than the limit reach a password. `forget` takes back what was counted for this device, or this e-mail and network.
 */
async function countSignInAttempt(
  em: EntityManager,
  { email, address, isAddressOfCaller, device }: SignInAttempt,
): Promise<{ forget(): Promise<void> }> {
  const [emailHash, networkHash] = [sha256(email), sha256(toClientNetwork(address))]
  const deviceHash = hasSignedInOnDevice(device, email) ? sha256(`${device.device} ${email}`) : null
  const own: AttemptCounter = deviceHash
    ? { where: ['device_hash = ?', [deviceHash]], max: MAX_FAILURES_PER_DEVICE }
    : {
        where: ['device_hash is null and email_hash = ? and address_hash = ?', [emailHash, networkHash]],
        max: MAX_FAILURES_PER_EMAIL_AND_NETWORK,
      }
  await em.fork().transactional(async inner => {
    const locked = deviceHash ? [deviceHash] : isAddressOfCaller ? [emailHash, networkHash] : [emailHash]
    for (const lock of locked.map(hash => hash.readInt32BE()).sort((a, b) => a - b))
      await inner.execute('select pg_advisory_xact_lock(7013008, ?)', [lock])
    await inner.execute(`delete from sign_in_try where at < now() - interval '1 day'`)
    for (const { where, max: most } of deviceHash ? [own] : await limitsOfStranger(inner, own))
      if ((await countMatchingAttempts(inner, where)) >= most)
        fail('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    await inner.execute('insert into sign_in_try (email_hash, address_hash, device_hash) values (?, ?, ?)', [
      emailHash,
      networkHash,
      deviceHash,
    ])
  })
  return {
    async forget() {
      const [sql, values] = own.where
      await em.execute(`delete from sign_in_try where ${sql}`, values)
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
    const most =
      ofEmail < DISTRIBUTED_ATTACK_FAILURES
        ? MAX_FAILURES_PER_EMAIL_AND_NETWORK
        : MAX_FAILURES_DURING_DISTRIBUTED_ATTACK
    const ofNetwork: AttemptCounter = {
      where: ['device_hash is null and address_hash = ?', [networkHash]],
      max: MAX_FAILURES_PER_NETWORK,
    }
    return [{ where, max: most }, ...(isAddressOfCaller ? [ofNetwork] : [])]
  }
}

async function countMatchingAttempts(
  em: EntityManager,
  [sql, values]: AttemptCounter['where'],
): Promise<number> {
  const [row] = await em.execute<{ attempts: string }[]>(
    `select count(*) as attempts from sign_in_try
     where at > now() - interval '${WINDOW_MINUTES} minutes' and ${sql}`,
    values,
  )
  return Number(row!.attempts)
}
