import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { INVITATION_PATH, inviteByOperator } from '../../../admin/invitations.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { fail, failField } from '../../../http/api-error.ts'
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

/**
 * Registers the form that invites an owner of an account: the first one has no other owner to invite them. The owner sets the
 * password, which no operator knows.
 */
export function registerFirstUserForm({ post, dashboard }: DashboardRouter): void {
  post('operator', `${ACCOUNTS_PATH}/users`, {
    async handle({ em, form, session: { user } }) {
      const {
        uuid: accountUuid,
        once: uuid = randomUUID(),
        ...fields
      } = parseFormFields(userFormSchema, form)
      const { name } = await requireMerchantAccount(em, accountUuid)
      const order = { uuid, accountUuid, role: 'owner' as const, invitedBy: user.uuid, actor: user.email }
      const result = await inviteByOperator(em, { ...fields, ...order })
      switch (result.kind) {
        case 'created': {
          const url = `${dashboard.config.publicUrl}${INVITATION_PATH}/${result.token}`
          const model = { account: { uuid: accountUuid, name }, email: fields.email, url }
          return createPage('operator/owner-invited', model, `${ACCOUNTS_PATH}/${accountUuid}`, {})
        }
        case 'repeated':
          return redirect(`${ACCOUNTS_PATH}/${accountUuid}`, 'invitation_there')
        case 'user_exists':
          return failField('email', 'is already the e-mail of a user')
        case 'too_many':
          return fail('user_limit')
      }
    },
    renderForm: renderFormAccount,
  })
}
