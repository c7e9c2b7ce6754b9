import { z } from 'zod'
import { runAuditedAction } from '../../../admin/audited-action.ts'
import { addUser, generateUserPassword } from '../../../admin/users.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { User } from '../../../db/entities/user.ts'
import { failField } from '../../../http/api-error.ts'
import { parseFormFields, reasonSchema } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { ACCOUNTS_PATH, renderFormAccount, requireMerchantAccount } from './account.ts'

const userFormSchema = z.object({
  uuid: uuidSchema,
  email: z.email('must be an e-mail address').max(254).toLowerCase(),
  reason: reasonSchema,
  once: uuidSchema.optional(),
})

/** Registers the form that creates an owner of an account: the first one has no other owner to invite them. */
export function registerFirstUserForm({ post }: DashboardRouter): void {
  post('operator', `${ACCOUNTS_PATH}/users`, {
    async handle({ em, form, session }) {
      const { uuid: accountUuid, email, reason, once: uuid } = parseFormFields(userFormSchema, form)
      const { name } = await requireMerchantAccount(em, accountUuid)
      const isRepeated = uuid !== undefined && (await em.fork().count(User, uuid)) > 0
      if (isRepeated) return redirect(`${ACCOUNTS_PATH}/${accountUuid}`, 'user_there')
      if ((await em.fork().count(User, { email, removedAt: null })) > 0)
        failField('email', 'is already the e-mail of a user')
      const password = generateUserPassword()
      await runAuditedAction(em.fork(), {
        ...{ actor: session.user.email, reason, action: 'user_add' },
        work: tx => addUser(tx, { uuid, email, password, accountUuid, role: 'owner' }),
        subject: user => `user/${user.uuid}`,
      })
      const model = { account: { uuid: accountUuid, name }, email, password }
      return createPage('operator/user-created', model, `${ACCOUNTS_PATH}/${accountUuid}`, {})
    },
    renderForm: renderFormAccount,
  })
}
