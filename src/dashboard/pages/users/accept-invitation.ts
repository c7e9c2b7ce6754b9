import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { acceptInvitation, INVITATION_PATH, visitInvitation } from '../../../admin/invitations.ts'
import { createTokenLookup } from '../../../api/authorization/visitor-limit.ts'
import { partyName } from '../../../contract/shared/fields.ts'
import { type ApiError, fail, failField } from '../../../http/api-error.ts'
import { toLoggedApiError } from '../../../http/error-handler.ts'
import { SECRET_ADDRESS_HEADERS } from '../../http/browser-security.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { newPasswordSchema, parseFormFields } from '../../http/form.ts'
import { handleLanguageSwitch } from '../../http/language.ts'
import { createPage, redirect } from '../../http/page.ts'
import { signIn } from '../../http/sign-in-cookies.ts'
import { issueVisitorFormToken, registerVisitorForm, sendVisitorResponse } from '../../http/visitor-form.ts'

const acceptSchema = z.object({ name: partyName, password: newPasswordSchema })

/** Registers the page of an invitation: its address is the permission, once. */
export function registerInvitationPage(dashboard: DashboardContext): void {
  const findByToken = createTokenLookup()
  const { koa } = dashboard.router

  koa.get(`${INVITATION_PATH}/:token`, async ctx => {
    ctx.set(SECRET_ADDRESS_HEADERS)
    if (handleLanguageSwitch(dashboard, ctx)) return
    await sendInvitation(ctx)
  })

  registerVisitorForm(dashboard, `${INVITATION_PATH}/:token`, {
    headers: SECRET_ADDRESS_HEADERS,
    async handle(ctx, form, em) {
      const invitation = await requireInvitation(ctx)
      if (invitation.kind !== 'open') return await sendInvitation(ctx)
      const order = { token: String(ctx.params.token), ...parseFormFields(acceptSchema, form) }
      const result = await acceptInvitation(em, order)
      if (result.kind === 'closed') return await sendInvitation(ctx)
      if (result.kind === 'user_exists') return failField('email', 'is already the e-mail of a user')
      await signIn(dashboard, ctx, { user: result.user, totpUuid: null })
      sendVisitorResponse(dashboard, ctx, { response: redirect('/dashboard', 'invitation_accepted') })
    },
    refuse: (ctx, form, refusal) => sendInvitation(ctx, { refusal, typed: { name: form.get('name') ?? '' } }),
  })

  async function requireInvitation(ctx: RouterContext) {
    const find = (token: string) => visitInvitation(dashboard.orm.em.fork(), token)
    return (await findByToken(ctx, find)) ?? fail('not_found')
  }

  /** Sends the page of an invitation; what is not open any more says so with 410. */
  async function sendInvitation(
    ctx: RouterContext,
    refused: { refusal?: ApiError; typed?: Record<string, string> } = {},
  ): Promise<void> {
    try {
      const invitation = await requireInvitation(ctx)
      const csrf = issueVisitorFormToken(dashboard, ctx)
      const response = createPage('invitation', { invitation, csrf }, ctx.path)
      sendVisitorResponse(
        dashboard,
        ctx,
        invitation.kind === 'open' ? { response, ...refused } : { response },
      )
      if (invitation.kind !== 'open') ctx.status = 410
    } catch (error) {
      const refusal = toLoggedApiError(ctx, error, dashboard.log)
      sendVisitorResponse(dashboard, ctx, {
        response: createPage('invitation', { invitation: null }),
        refusal,
      })
    }
  }
}
