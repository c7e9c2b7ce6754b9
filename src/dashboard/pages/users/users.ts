import { z } from 'zod'
import {
  changeMemberRole,
  type MemberChange,
  removeMember,
  resetMemberTotp,
  startMemberReset,
} from '../../../admin/account-users.ts'
import { createInvitation, INVITATION_PATH, revokeInvitation } from '../../../admin/invitations.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import {
  type AccountMember,
  listAccountMembers,
  listOpenInvitations,
  listUserHistory,
} from '../../../db/repositories/account-users.ts'
import { ACCOUNT_ROLES } from '../../../domain/users/roles.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { emailSchema, parseFormFields } from '../../http/form.ts'
import { createPage, type DashboardResponse, redirect } from '../../http/page.ts'
import { getUserAuthor, type PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { PASSWORD_RESET_PATH } from '../password-reset.ts'

const USERS_PATH = '/dashboard/users'

type UsersVisit = PageContext<'merchant'>

const resetFormSchema = z.object({ once: uuidSchema })
const roleFormSchema = z.object({ role: z.enum(ACCOUNT_ROLES), seen_role: z.enum(ACCOUNT_ROLES).optional() })

/** Registers the page of the account's users, and what an owner does with one of them. */
export function registerUserPages(router: DashboardRouter): void {
  const { get, post, dashboard } = router
  // Before the pages of a user: `invitations` is no identifier.
  registerInvitationForms(router)

  get('users.write', USERS_PATH, visit => renderUsers(visit))
  get('users.write', `${USERS_PATH}/:uuid`, visit => renderMember(visit))

  post('users.write', `${USERS_PATH}/:uuid/role`, {
    confirm: confirmRole,
    async handle(visit) {
      const { role, seen_role: expectedRole } = parseFormFields(roleFormSchema, visit.form)
      const { em, ...order } = readOrder(visit)
      const change = await changeMemberRole(em, { ...order, role, expectedRole: expectedRole ?? role })
      return respondToChange(visit, change, 'role_changed')
    },
    renderForm: visit => renderMember(visit),
  })

  post('users.write', `${USERS_PATH}/:uuid/remove`, {
    confirm: visit => confirmOnMember(visit, REMOVAL),
    async handle(visit) {
      const { em, ...order } = readOrder(visit)
      const change = await removeMember(em, order)
      return respondToChange(visit, change, 'user_removed')
    },
    renderForm: visit => renderMember(visit),
  })

  post('users.write', `${USERS_PATH}/:uuid/password-reset`, {
    async handle(visit) {
      const { once: uuid } = parseFormFields(resetFormSchema, visit.form)
      const { em, ...order } = readOrder(visit)
      const result = await startMemberReset(em, { ...order, uuid })
      switch (result.kind) {
        case 'created':
          return renderMember(visit, `${dashboard.config.publicUrl}${PASSWORD_RESET_PATH}/${result.token}`)
        case 'repeated':
          return redirect(`${USERS_PATH}/${visit.params.uuid}`, 'reset_there')
        case 'not_found':
          return fail('not_found')
        case 'not_owner':
          return failAsNoOwner(visit)
      }
    },
    renderForm: visit => renderMember(visit),
  })

  post('users.write', `${USERS_PATH}/:uuid/totp`, {
    confirm: visit => confirmOnMember(visit, TOTP_RESET),
    async handle(visit) {
      const { em, ...order } = readOrder(visit)
      const change = await resetMemberTotp(em, order)
      return respondToChange(visit, change, 'totp_reset')
    },
    renderForm: visit => renderMember(visit),
  })
}

/** The page of all users, their invitations and their history; `invited` has the link of the invitation just created. */
async function renderUsers(visit: UsersVisit, invited?: { url: string; email: string }) {
  const { em, session } = visit
  const { accountUuid } = visit.token
  const [members, invitations, history] = await Promise.all([
    listAccountMembers(em.fork(), { accountUuid }),
    listOpenInvitations(em.fork(), accountUuid),
    listUserHistory(em.fork(), { accountUuid }),
  ])
  return createPage(
    'users',
    {
      members,
      invitations,
      history,
      invited,
      roles: ACCOUNT_ROLES,
      me: session.user.uuid,
      ...(invited && { typed: {} }),
    },
    USERS_PATH,
  )
}

/** The page of a user; `resetUrl` is the link for a new password that was just created. */
async function renderMember(visit: UsersVisit, resetUrl?: string): Promise<DashboardResponse> {
  const { em, token, params, session } = visit
  const member = (await findMember(visit)) ?? fail('not_found')
  const history = await listUserHistory(em.fork(), { accountUuid: token.accountUuid, uuid: params.uuid })
  const model = { member, history, roles: ACCOUNT_ROLES, isMe: member.uuid === session.user.uuid, resetUrl }
  return createPage('user', model, `${USERS_PATH}/${member.uuid}`)
}

async function findMember({ em, token, params }: UsersVisit): Promise<AccountMember | undefined> {
  const [member] = await listAccountMembers(em.fork(), { accountUuid: token.accountUuid, uuid: params.uuid })
  return member
}

function readOrder(visit: UsersVisit) {
  const { em, token, params } = visit
  return { em, author: getUserAuthor(visit), accountUuid: token.accountUuid, userUuid: params.uuid }
}

/** Phrases of a confirmation. */
type ActPhrases = { ask: string; now: string; means: string }
const REMOVAL = { ask: 'user.removeAsk', now: 'user.removeNow', means: 'user.removeMeans' }
const TOTP_RESET = { ask: 'user.resetTotpAsk', now: 'user.resetTotpNow', means: 'user.resetTotpMeans' }
const ROLE_CHANGE = { ask: 'user.changeRoleAsk', now: 'user.changeRoleNow', means: 'user.sessionsEnd' }

async function confirmRole(visit: UsersVisit): Promise<Confirmation | null> {
  const { role } = parseFormFields(roleFormSchema, visit.form)
  const member = (await findMember(visit)) ?? fail('not_found')
  if (member.role === role) return null
  const { t } = visit
  const newRole = t(`role.${role}`)
  const confirmation = describeAct(visit, ROLE_CHANGE, member, { role: newRole })
  return {
    ...confirmation,
    facts: [...confirmation.facts, { name: 'user.newRole', value: newRole, isInformative: true }],
    means: `${t(`role.${role}.means`)} ${confirmation.means}`,
    isDangerous: member.role === 'owner',
    fields: { seen_role: member.role },
  }
}

/** Null where the user is gone: the form was carried out already, by this owner or by another. */
async function confirmOnMember(visit: UsersVisit, phrases: ActPhrases): Promise<Confirmation | null> {
  const member = await findMember(visit)
  return member ? { ...describeAct(visit, phrases, member), isDangerous: true } : null
}

function describeAct(
  visit: UsersVisit,
  phrases: ActPhrases,
  member: AccountMember,
  gaps: Record<string, string> = {},
) {
  const { t } = visit
  const names = { name: member.name ?? member.email, ...gaps }
  return {
    title: t(phrases.ask, names),
    button: t(phrases.now, names),
    facts: listFacts(visit, member),
    means: t(phrases.means),
    back: `${USERS_PATH}/${member.uuid}`,
  }
}

function listFacts(visit: UsersVisit, { name, email, role }: AccountMember) {
  const { t } = visit
  return [
    ...(name === null ? [] : [{ name: 'field.name', value: name }]),
    { name: 'field.email', value: email },
    { name: 'field.role', value: t(`role.${role}`) },
  ]
}

function respondToChange(visit: UsersVisit, change: MemberChange, outcome: string): DashboardResponse {
  const { t } = visit
  switch (change.kind) {
    case 'changed':
      return redirect(outcome === 'user_removed' ? USERS_PATH : `${USERS_PATH}/${visit.params.uuid}`, outcome)
    case 'removed':
      // By this form sent twice, or by another owner.
      return outcome === 'user_removed' ? redirect(USERS_PATH, outcome) : fail('not_found')
    case 'not_found':
      return fail('not_found')
    case 'last_owner':
      return fail('last_owner')
    case 'stale':
      return fail('act_stale', { currentStateText: t(`role.${change.role}`) })
    case 'not_owner':
      return failAsNoOwner(visit)
  }
}

/** Fails for a user who was an owner when the page was made. */
function failAsNoOwner(visit: UsersVisit): never {
  const { t, f } = visit
  return fail('role_not_allowed', { allowedRolesText: f.anyOf([t('role.owner')]) })
}

const INVITATIONS_PATH = `${USERS_PATH}/invitations`

const inviteSchema = z.object({
  email: emailSchema,
  role: z.enum(ACCOUNT_ROLES),
  once: uuidSchema,
})

/** Registers the forms by which an owner invites, and revokes an invitation. */
function registerInvitationForms({ post, dashboard }: DashboardRouter): void {
  post('users.write', INVITATIONS_PATH, {
    async handle(visit) {
      const { once: uuid, ...invitation } = parseFormFields(inviteSchema, visit.form)
      const { accountUuid } = visit.token
      const order = { ...invitation, uuid, accountUuid, author: getUserAuthor(visit) }
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

  post('users.write', `${INVITATIONS_PATH}/:uuid/revoke`, {
    confirm: confirmRevocation,
    async handle(visit) {
      const { em, token, params } = visit
      const order = { uuid: params.uuid, accountUuid: token.accountUuid, author: getUserAuthor(visit) }
      const result = (await revokeInvitation(em, order)) ?? fail('not_found')
      return redirect(USERS_PATH, result === 'revoked' ? 'invitation_revoked' : 'invitation_closed')
    },
    renderForm: visit => renderUsers(visit),
  })
}

/** Null where the invitation is not open any more: accepted, or revoked by another owner. */
async function confirmRevocation(visit: UsersVisit): Promise<Confirmation | null> {
  const { em, token, params, t } = visit
  const invitations = await listOpenInvitations(em.fork(), token.accountUuid)
  const invitation = invitations.find(({ uuid }) => uuid === params.uuid)
  if (!invitation) return null
  return {
    title: t('invitation.revokeAsk', { email: invitation.email }),
    button: t('invitation.revokeNow'),
    facts: [
      { name: 'field.email', value: invitation.email },
      { name: 'field.role', value: t(`role.${invitation.role}`) },
    ],
    means: t('invitation.revokeMeans'),
    isDangerous: true,
    back: USERS_PATH,
  }
}
