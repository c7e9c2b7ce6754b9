import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import {
  countSignInAttempts,
  deleteSignInAttempts,
  insertSignInAttempt,
  lockSignInAttempts,
} from '../../db/repositories/sign-in-attempts.ts'
import { fail } from '../../http/api-error.ts'
import { sha256 } from '../../security/sealing.ts'
import { toClientNetwork } from './client-network.ts'

/**
 * Limits of requests for a new password within the window, whether the e-mail is of a user or not: per e-mail and
 * network, per e-mail over all networks, and per network where it is known to be the client's own.
 */
const MAX_PER_EMAIL_AND_NETWORK = 3
const MAX_PER_EMAIL = 10
const MAX_PER_NETWORK = 30
const WINDOW_MINUTES = 15

type ResetRequest = {
  email: string
  address: string
  /** As of a sign-in (`SignInAttempt`). */
  isAddressOfCaller: boolean
}

/** Counts a request under the locks of what it counts for, or fails. */
export async function countResetRequest(
  em: EntityManager,
  { email, address, isAddressOfCaller }: ResetRequest,
): Promise<void> {
  const emailHash = sha256(`reset of ${email}`)
  const addressHash = sha256(`reset from ${toClientNetwork(address)}`)
  const hashes = { emailHash, addressHash, deviceHash: null }
  await runInTransaction(em, async tx => {
    await lockSignInAttempts(tx, isAddressOfCaller ? [emailHash, addressHash] : [emailHash])
    const counts = await countSignInAttempts(tx, { ...hashes, minutes: WINDOW_MINUTES })
    if (
      counts.ofEmailAndNetwork >= MAX_PER_EMAIL_AND_NETWORK ||
      counts.ofEmail >= MAX_PER_EMAIL ||
      (isAddressOfCaller && counts.ofNetwork >= MAX_PER_NETWORK)
    )
      fail('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    await insertSignInAttempt(tx, hashes)
  })
}

/** Deletes the failed sign-ins of an e-mail and network, after its user has a new password. */
export function forgetFailedSignIns(em: EntityManager, email: string, address: string): Promise<void> {
  const hashes = { emailHash: sha256(email), addressHash: sha256(toClientNetwork(address)), deviceHash: null }
  return deleteSignInAttempts(em.fork(), hashes)
}
