import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import {
  countSignInAttempts,
  deleteSignInAttempts,
  insertSignInAttempt,
  lockSignInAttempts,
  type SignInCounts,
  type SignInHashes,
} from '../../db/repositories/sign-in-attempts.ts'
import { fail } from '../../http/api-error.ts'
import { toClientNetwork } from '../../security/ip-address.ts'
import { sha256 } from '../../security/sealing.ts'
import { type DeviceCookie, hasSignedInOnDevice } from './device-cookie.ts'

/** Limits of attempts to guess a password or a code, and of requests for a new password. */

const WINDOW_MINUTES = 15

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

/** Who guesses a code knows the password already, so that the limit holds over all networks. */
const MAX_FAILURES_OF_USER = { code: 5, password: 10 } as const

/**
 * Limits of requests for a new password within the window, whether the e-mail is of a user or not: per e-mail and
 * network, per e-mail over all networks, and per network where it is known to be the client's own.
 */
const MAX_RESETS_PER_EMAIL_AND_NETWORK = 3
const MAX_RESETS_PER_EMAIL = 10
const MAX_RESETS_PER_NETWORK = 30

/** The visitor who makes an attempt. */
export type Visitor = {
  email: string
  /** Client address, from the connection or from the proxy in front. */
  address: string
  /** Whether a proxy of ours reports `address` (TRILHO_BEHIND_PROXY); else it may be a proxy that all users share. */
  isAddressOfCaller: boolean
}

/** Counts an attempt to sign in. `forget` removes the count of this device, or of this e-mail and network. */
export function countSignInAttempt(
  em: EntityManager,
  { email, address, isAddressOfCaller, device }: Visitor & { device: DeviceCookie | null },
) {
  const [emailHash, addressHash] = [sha256(email), sha256(toClientNetwork(address))]
  const deviceHash = hasSignedInOnDevice(device, email) ? sha256(`${device.device} ${email}`) : null
  return countAttempt(em, {
    hashes: { emailHash, addressHash, deviceHash },
    locked: deviceHash ? [deviceHash] : isAddressOfCaller ? [emailHash, addressHash] : [emailHash],
    isLimitReached(failures) {
      if (deviceHash) return failures.ofDevice >= MAX_FAILURES_PER_DEVICE
      const max =
        failures.ofEmail < DISTRIBUTED_ATTACK_FAILURES
          ? MAX_FAILURES_PER_EMAIL_AND_NETWORK
          : MAX_FAILURES_DURING_DISTRIBUTED_ATTACK
      return (
        failures.ofEmailAndNetwork >= max ||
        (isAddressOfCaller && failures.ofNetwork >= MAX_FAILURES_PER_NETWORK)
      )
    },
  })
}

/** Deletes the failed sign-ins of an e-mail and network, after its user has a new password. */
export function forgetFailedSignIns(em: EntityManager, email: string, address: string): Promise<void> {
  const hashes = { emailHash: sha256(email), addressHash: sha256(toClientNetwork(address)), deviceHash: null }
  return deleteSignInAttempts(em.fork(), hashes)
}

/** Counts an attempt of a known user to give a code or the present password. `forget` removes the count. */
export function countUserAttempt(
  em: EntityManager,
  secret: keyof typeof MAX_FAILURES_OF_USER,
  userUuid: string,
) {
  const hash = sha256(`${secret} of ${userUuid}`)
  return countAttempt(em, {
    hashes: { emailHash: hash, addressHash: hash, deviceHash: null },
    locked: [hash],
    isLimitReached: ({ ofEmail }) => ofEmail >= MAX_FAILURES_OF_USER[secret],
  })
}

/** Counts a request for a new password, or fails. */
export async function countResetRequest(
  em: EntityManager,
  { email, address, isAddressOfCaller }: Visitor,
): Promise<void> {
  const emailHash = sha256(`reset of ${email}`)
  const addressHash = sha256(`reset from ${toClientNetwork(address)}`)
  await countAttempt(em, {
    hashes: { emailHash, addressHash, deviceHash: null },
    locked: isAddressOfCaller ? [emailHash, addressHash] : [emailHash],
    isLimitReached: requests =>
      requests.ofEmailAndNetwork >= MAX_RESETS_PER_EMAIL_AND_NETWORK ||
      requests.ofEmail >= MAX_RESETS_PER_EMAIL ||
      (isAddressOfCaller && requests.ofNetwork >= MAX_RESETS_PER_NETWORK),
  })
}

type Attempt = {
  hashes: SignInHashes
  /** Those of the hashes whose attempts are limited. */
  locked: Buffer[]
  isLimitReached(earlier: SignInCounts): boolean
}

/**
 * Counts an attempt before its secret is compared, or fails where the limit is reached. It is counted under locks: however many
 * arrive concurrently, in however many processes, no more than the limit are compared. `forget` removes the count after a success.
 */
async function countAttempt(
  em: EntityManager,
  { hashes, locked, isLimitReached }: Attempt,
): Promise<{ forget(): Promise<void> }> {
  // Of its own, so that a caller whose transaction is rolled back does not undo the count.
  await runInTransaction(em.fork(), async tx => {
    await lockSignInAttempts(tx, locked)
    const earlier = await countSignInAttempts(tx, { ...hashes, minutes: WINDOW_MINUTES })
    if (isLimitReached(earlier)) fail('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    await insertSignInAttempt(tx, hashes)
  })
  return { forget: () => deleteSignInAttempts(em.fork(), hashes) }
}
