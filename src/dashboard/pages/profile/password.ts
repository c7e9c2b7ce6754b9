import { z } from 'zod'
import { changeOwnPassword } from '../../../admin/users.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { runInTransaction } from '../../../db/client/transaction.ts'
import { User } from '../../../db/entities/user.ts'
import { lockVerifiedUser, type VerifiedUser } from '../../../db/repositories/dashboard-sessions.ts'
import { failField } from '../../../http/api-error.ts'
import { hashPassword, verifyPassword } from '../../../security/passwords.ts'
import { sha256 } from '../../../security/sealing.ts'
import { countUserAttempt } from '../../authentication/attempts.ts'
import { newPasswordSchema, parseFormFields, presentPasswordSchema } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import { actingUser, type PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { PROFILE_PATH, renderProfile } from './profile.ts'

const passwordFormSchema = z.object({
  current_password: presentPasswordSchema,
  password: newPasswordSchema,
})

/** Registers the form of the own password: every other session of the user ends. */
export function registerPasswordForm({ post }: DashboardRouter): void {
  post('any', `${PROFILE_PATH}/password`, {
    async handle(visit) {
      const { current_password: current, password } = parseFormFields(passwordFormSchema, visit.form)
      const { user, isMatch } = await compareOwnPassword(visit, current)
      const isChanged = isMatch && (await replacePassword(visit, user, password))
      // The form sent twice: the password is already the new one.
      const isRepeated =
        !isChanged && (await verifyPassword(password, (await findOwnUser(visit)).passwordHash))
      if (!isChanged && !isRepeated) failField('current_password', 'is wrong')
      return redirect(PROFILE_PATH, 'password_changed')
    },
    renderForm: renderProfile,
  })
}

/** Replaces the verified password of the signed-in user; false where it was replaced meanwhile. */
async function replacePassword(visit: PageContext, user: User, password: string): Promise<boolean> {
  const passwordHash = await hashPassword(password)
  const { em, session } = visit
  return changeOwnPassword(em, actingUser(visit), { verified: toVerifiedUser(user), session, passwordHash })
}

/** Returns the signed-in user whose present password this is, or fails. */
export async function requireOwnPassword(visit: PageContext, password: string): Promise<User> {
  const { user, isMatch } = await compareOwnPassword(visit, password)
  return isMatch ? user : failField('current_password', 'is wrong')
}

/** Runs work in a transaction that holds the user's row; fails where the password was replaced since it was verified. */
export function runWithVerifiedUser<T>(
  { em }: PageContext,
  user: User,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return runInTransaction(em, async tx => {
    if (!(await lockVerifiedUser(tx, toVerifiedUser(user)))) failField('current_password', 'is wrong')
    return work(tx)
  })
}

function toVerifiedUser({ uuid, passwordHash }: User): VerifiedUser {
  return { userUuid: uuid, passwordDigest: sha256(passwordHash) }
}

/** Compares the present password of the signed-in user; wrong ones are counted and limited. */
async function compareOwnPassword(visit: PageContext, password: string) {
  const counted = await countUserAttempt(visit.em, 'password', visit.session.user.uuid)
  const user = await findOwnUser(visit)
  const isMatch = await verifyPassword(password, user.passwordHash)
  if (isMatch) await counted.forget()
  return { user, isMatch }
}

function findOwnUser({ em, session }: PageContext): Promise<User> {
  return em.fork().findOneOrFail(User, session.user.uuid, { populate: ['passwordHash'] })
}
