import { z } from 'zod'
import { recordUserAction } from '../../../admin/account-users.ts'
import { User } from '../../../db/entities/user.ts'
import { keepSessionOfNewPassword } from '../../../db/repositories/dashboard-sessions.ts'
import { failField } from '../../../http/api-error.ts'
import { hashPassword, verifyPassword } from '../../../security/passwords.ts'
import { newPasswordSchema, presentPasswordSchema } from '../../authentication/new-password.ts'
import { countUserAttempt } from '../../authentication/user-attempts.ts'
import { actingUser } from '../../http/acting-user.ts'
import { parseFormFields } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
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
      const { em, session, form } = visit
      const { current_password: current, password } = parseFormFields(passwordFormSchema, form)
      const { user, isMatch } = await compareOwnPassword(visit, current)
      if (!isMatch) {
        // The form sent twice: the password is already the new one.
        if (await verifyPassword(password, user.passwordHash))
          return redirect(PROFILE_PATH, 'password_changed')
        return failField('current_password', 'is wrong')
      }
      const passwordHash = await hashPassword(password)
      await em.fork().transactional(async tx => {
        await tx.nativeUpdate(User, { uuid: user.uuid }, { passwordHash })
        await keepSessionOfNewPassword(tx, session)
        await recordUserAction(tx, {
          ...{ actor: actingUser(visit), action: 'change_password', subject: `user/${user.uuid}` },
        })
      })
      return redirect(PROFILE_PATH, 'password_changed')
    },
    renderForm: renderProfile,
  })
}

/** Fails unless this is the present password of the signed-in user. */
export async function requireOwnPassword(visit: PageContext, password: string): Promise<void> {
  if (!(await compareOwnPassword(visit, password)).isMatch) failField('current_password', 'is wrong')
}

/** Compares the present password of the signed-in user; wrong ones are counted and limited. */
async function compareOwnPassword({ em, session }: PageContext, password: string) {
  const { uuid } = session.user
  const counted = await countUserAttempt(em, 'password', uuid)
  const user = await em.fork().findOneOrFail(User, uuid, { populate: ['passwordHash'] })
  const isMatch = await verifyPassword(password, user.passwordHash)
  if (isMatch) await counted.forget()
  return { user, isMatch }
}
