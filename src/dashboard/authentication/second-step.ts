import { z } from 'zod'
import { acceptSecondFactor } from '../../admin/second-factor.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { User } from '../../db/entities/user.ts'
import { fail } from '../../http/api-error.ts'
import { type Sealer, sha256 } from '../../security/sealing.ts'
import { countUserAttempt } from './attempts.ts'
import { openSealedValue } from './sealed-value.ts'
import { requireActiveAccount } from './sign-in.ts'

/** Time that the second step may take after the first. */
export const SECOND_STEP_MAX_AGE_MS = 5 * 60_000

const secondStepSchema = z.object({
  kind: z.literal('dashboard-second-step'),
  userUuid: z.uuid(),
  /** SHA-256 of the password's hash: a new password ends what the old one began. */
  passwordDigest: z.string(),
  endsAtMs: z.number(),
})

/** Seals that a user has given the right password, for a cookie. It grants no access. */
export function sealSecondStep({ uuid, passwordHash }: User, sealer: Sealer): string {
  return sealer.seal({
    kind: 'dashboard-second-step',
    userUuid: uuid,
    passwordDigest: digestPassword(passwordHash),
    endsAtMs: Date.now() + SECOND_STEP_MAX_AGE_MS,
  } satisfies z.infer<typeof secondStepSchema>)
}

/** Finds the user whose second step a cookie holds; null where it is absent, forged, too old or of an older password. */
export async function findSecondStepUser(
  em: EntityManager,
  cookie: string | undefined,
  sealer: Sealer,
): Promise<User | null> {
  const step = openSealedValue(sealer, secondStepSchema, cookie)
  if (!step) return null
  const where = { uuid: step.userUuid, removedAt: null, disabledAt: null }
  const user = await em.findOne(User, where, { populate: ['passwordHash'] })
  return user && digestPassword(user.passwordHash) === step.passwordDigest ? user : null
}

/** Accepts the code of a user's second step, or fails. Returns the uuid of the second factor. */
export async function requireSecondFactor(
  em: EntityManager,
  sealer: Sealer,
  { user, code }: { user: User; code: string },
): Promise<string> {
  const attempt = await countUserAttempt(em, 'code', user.uuid)
  // Committed by itself, so that a form whose later steps fail does not answer that it started nothing.
  const totpUuid = await runInTransaction(em.fork(), tx =>
    acceptSecondFactor(tx, sealer, { userUuid: user.uuid, code }),
  )
  if (totpUuid === null) fail('code_refused')
  await requireActiveAccount(em, user)
  await attempt.forget()
  return totpUuid
}

function digestPassword(passwordHash: string): string {
  return sha256(passwordHash).toString('base64url')
}
