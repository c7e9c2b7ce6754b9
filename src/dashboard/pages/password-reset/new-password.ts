import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { resetPassword } from '../../../admin/password-resets.ts'
import { findUserOfReset } from '../../../db/repositories/password-resets.ts'
import type { ApiError } from '../../../http/api-error.ts'
import { toLoggedApiError } from '../../../http/error-handler.ts'
import { hashResetToken } from '../../../security/tokens.ts'
import { newPasswordSchema } from '../../authentication/new-password.ts'
import { forgetFailedSignIns } from '../../authentication/reset-attempts.ts'
import { SECRET_ADDRESS_HEADERS } from '../../http/browser-security.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { parseFormFields } from '../../http/form.ts'
import { handleLanguageSwitch } from '../../http/language.ts'
import { createPage } from '../../http/page.ts'
import { issueVisitorFormToken, registerVisitorForm, sendVisitorResponse } from '../../http/visitor-form.ts'
import { createVisitorLimit } from '../../http/visitor-limit.ts'
import { PASSWORD_RESET_PATH } from './request.ts'

/** Points of a request, and of one whose link works no more, which may be a guess. */
const REQUEST_POINTS = 1
const UNKNOWN_TOKEN_POINTS = 20

const passwordSchema = z.object({ password: newPasswordSchema })

/**
 * Registers the page of a link for a new password: its address is the permission, once. It starts no session, so
 * that the second factor is asked for as always.
 */
export function registerNewPasswordPage(dashboard: DashboardContext): void {
  const limit = createVisitorLimit()
  const { koa } = dashboard.router

  koa.get(`${PASSWORD_RESET_PATH}/:token`, async ctx => {
    ctx.set(SECRET_ADDRESS_HEADERS)
    if (!handleLanguageSwitch(dashboard, ctx)) await sendLink(ctx)
  })

  registerVisitorForm(dashboard, `${PASSWORD_RESET_PATH}/:token`, {
    headers: SECRET_ADDRESS_HEADERS,
    async handle(ctx, form, em) {
      if (!(await findLinkUser(ctx))) return await sendLink(ctx)
      const { password } = parseFormFields(passwordSchema, form)
      const user = await resetPassword(em, { token: String(ctx.params.token), password })
      if (!user) return await sendLink(ctx)
      await forgetFailedSignIns(em, user.email, ctx.ip)
      send(ctx, { state: 'done', email: user.email })
    },
    refuse: (ctx, _form, refusal) => sendLink(ctx, refusal),
  })

  async function findLinkUser(ctx: RouterContext) {
    limit.take(ctx.ip, REQUEST_POINTS)
    const user = await findUserOfReset(dashboard.orm.em.fork(), hashResetToken(String(ctx.params.token)))
    if (!user) limit.take(ctx.ip, UNKNOWN_TOKEN_POINTS)
    return user
  }

  /** Sends the form of a link; one that works no more says so with 410. */
  async function sendLink(ctx: RouterContext, refusal?: ApiError): Promise<void> {
    try {
      const user = await findLinkUser(ctx)
      if (user) return send(ctx, { state: 'open', email: user.email, ...(refusal && { refusal }) })
      send(ctx, { state: 'closed' })
      ctx.status = 410
    } catch (error) {
      send(ctx, { state: 'failed', refusal: toLoggedApiError(ctx, error, dashboard.log) })
    }
  }

  type LinkPage = { state: 'open' | 'done' | 'closed' | 'failed'; email?: string; refusal?: ApiError }

  function send(ctx: RouterContext, { refusal, ...page }: LinkPage): void {
    const response = createPage(
      'new-password',
      { ...page, csrf: issueVisitorFormToken(dashboard, ctx) },
      ctx.path,
    )
    sendVisitorResponse(dashboard, ctx, { response, ...(refusal && { refusal }) })
  }
}
