import { z } from 'zod'
import { createInvitation, INVITATION_PATH, revokeInvitation } from '../../../admin/invitations.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { listOpenInvitations } from '../../../db/repositories/account-users.ts'
import { ACCOUNT_ROLES } from '../../../domain/users/roles.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import { actingUser, type PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { renderUsers, USERS_PATH } from './users.ts'

const PATH = `${USERS_PATH}/invitations`

const inviteSchema = z.object({
  email: z.string().trim().toLowerCase().max(254, 'is too long').pipe(z.email('must be an e-mail address')),
  role: z.enum(ACCOUNT_ROLES),
  once: uuidSchema,
})

/** Registers the forms by which an owner invites, and revokes an invitation. */
export function registerInvitationForms({ post, dashboard }: DashboardRouter): void {
  post('users.write', PATH, {
    async handle(visit) {
      const { once: uuid, ...invitation } = parseFormFields(inviteSchema, visit.form)
      const { accountUuid } = visit.token
      const order = { ...invitation, uuid, accountUuid, actor: actingUser(visit) }
      const result = await createInvitation(visit.em, order)
      switch (result.kind) {
        case 'created': {
          const url = `${dashboard.config.publicUrl}${INVITATION_PATH}/${result.token}`
          return renderUsers(visit, { url, email: invitation.email })
        }
        case 'repeated':
          return redirect(USERS_PATH, 'invitation_there')
        case 'user_exists':
          return failField('email', 'is already the e-mail of a user')
        case 'too_many':
          return fail('user_limit')
        case 'not_owner':
          return fail('not_found')
      }
    },
    renderForm: visit => renderUsers(visit),
  })

  post('users.write', `${PATH}/:uuid/revoke`, {
    confirm: confirmRevocation,
    async handle(visit) {
      const { em, token, params } = visit
      const order = { uuid: params.uuid, accountUuid: token.accountUuid, actor: actingUser(visit) }
      const result = (await revokeInvitation(em, order)) ?? fail('not_found')
      return redirect(USERS_PATH, result === 'revoked' ? 'invitation_revoked' : 'invitation_closed')
    },
    renderForm: visit => renderUsers(visit),
  })
}

/** Null where the invitation is not open any more: accepted, or revoked by another owner. */
async function confirmRevocation(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { em, token, params, t } = visit
  const invitations = await listOpenInvitations(em.fork(), token.accountUuid)
  const revoked = invitations.find(({ uuid }) => uuid === params.uuid)
  if (!revoked) return null
  return {
    title: t('invitation.revokeAsk', { email: revoked.email }),
    button: t('invitation.revokeNow'),
    facts: [
      { name: 'field.email', value: revoked.email },
      { name: 'field.role', value: t(`role.${revoked.role}`) },
    ],
    means: t('invitation.revokeMeans'),
    isDangerous: true,
    back: USERS_PATH,
  }
}
