import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { resetPassword } from '../../admin/users.ts'
import { createTokenLookup } from '../../api/authorization/visitor-limit.ts'
import { canSendResetLinks, requestPasswordReset } from '../../api/operations/password-resets.ts'
import { findUserOfReset } from '../../db/repositories/password-resets.ts'
import type { ApiError } from '../../http/api-error.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { hashResetToken } from '../../security/tokens.ts'
import { countResetRequest, forgetFailedSignIns } from '../authentication/attempts.ts'
import { PAGE_HEADERS, SECRET_ADDRESS_HEADERS } from '../http/browser-security.ts'
import type { DashboardContext } from '../http/dashboard-context.ts'
import { emailSchema, newPasswordSchema, parseFormFields } from '../http/form.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../http/language.ts'
import { createPage } from '../http/page.ts'
import { issueVisitorFormToken, registerVisitorForm, sendVisitorResponse } from '../http/visitor-form.ts'

export const PASSWORD_RESET_PATH = '/dashboard/password-reset'

const requestSchema = z.object({ email: emailSchema })

/** Registers the page of a forgotten password, and that of a link for a new one. */
export function registerPasswordResetPages(dashboard: DashboardContext): void {
  registerResetRequest(dashboard)
  registerNewPasswordPage(dashboard)
}

/**
 * Registers the page of a forgotten password. It does not look the address up: a workflow does, so that the response and
 * its time are the same for an e-mail of a user and any other.
 */
function registerResetRequest(dashboard: DashboardContext): void {
  const { koa } = dashboard.router
  const { isBehindProxy, publicUrl } = dashboard.config
  const canSend = canSendResetLinks(dashboard.config)

  koa.get(PASSWORD_RESET_PATH, ctx => {
    ctx.set(PAGE_HEADERS)
    if (!handleLanguageSwitch(dashboard, ctx)) sendForm(ctx, {})
  })

  registerVisitorForm(dashboard, PASSWORD_RESET_PATH, {
    async handle(ctx, form) {
      if (!canSend) return sendForm(ctx, {})
      const { email } = parseFormFields(requestSchema, form)
      const request = { email, address: ctx.ip, isAddressOfCaller: isBehindProxy }
      await countResetRequest(dashboard.orm.em.fork(), request)
      await requestPasswordReset(dashboard, {
        email,
        pageUrl: `${publicUrl}${PASSWORD_RESET_PATH}`,
        language: readRequestLanguage(dashboard, ctx),
      })
      sendForm(ctx, { sentTo: email })
    },
    refuse(ctx, form, refusal) {
      sendForm(ctx, { refusal, typed: { email: form.get('email') ?? '' } })
    },
  })

  function sendForm(
    ctx: RouterContext,
    {
      sentTo = null,
      ...refused
    }: { sentTo?: string | null; refusal?: ApiError; typed?: Record<string, string> },
  ): void {
    const csrf = issueVisitorFormToken(dashboard, ctx)
    const model = { csrf, sentTo, canSend }
    const response = createPage('password-reset', model, PASSWORD_RESET_PATH)
    sendVisitorResponse(dashboard, ctx, { response, ...refused })
  }
}

const passwordSchema = z.object({ password: newPasswordSchema })

/**
 * Registers the page of a link for a new password: its address is the permission, once. It starts no session, so
 * that the second factor is asked for as always.
 */
function registerNewPasswordPage(dashboard: DashboardContext): void {
  const findByToken = createTokenLookup()
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

  const findLinkUser = (ctx: RouterContext) =>
    findByToken(ctx, token => findUserOfReset(dashboard.orm.em.fork(), hashResetToken(token)))

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
