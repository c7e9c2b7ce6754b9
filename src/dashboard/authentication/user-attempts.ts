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

/** Who guesses a code knows the password already, so that the limit holds over all networks. */
const MAX_FAILURES = { code: 5, password: 10 } as const
const WINDOW_MINUTES = 15

/**
 * Counts an attempt of a known user to give a code or the present password, before it is compared, under a lock: however
 * many arrive concurrently, no more than the limit are compared. `forget` removes the count after a success.
 */
export async function countUserAttempt(
  em: EntityManager,
  secret: keyof typeof MAX_FAILURES,
  userUuid: string,
): Promise<{ forget(): Promise<void> }> {
  const hash = sha256(`${secret} of ${userUuid}`)
  const hashes = { emailHash: hash, addressHash: hash, deviceHash: null }
  await runInTransaction(em, async tx => {
    await lockSignInAttempts(tx, [hash])
    const { ofEmail } = await countSignInAttempts(tx, { ...hashes, minutes: WINDOW_MINUTES })
    if (ofEmail >= MAX_FAILURES[secret]) fail('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    await insertSignInAttempt(tx, hashes)
  })
  return { forget: () => deleteSignInAttempts(em.fork(), hashes) }
}
