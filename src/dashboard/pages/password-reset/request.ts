import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { canSendResetLinks, requestPasswordReset } from '../../../api/operations/password-resets.ts'
import type { ApiError } from '../../../http/api-error.ts'
import { countResetRequest } from '../../authentication/attempts.ts'
import { PAGE_HEADERS } from '../../http/browser-security.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { parseFormFields } from '../../http/form.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../../http/language.ts'
import { createPage } from '../../http/page.ts'
import { issueVisitorFormToken, registerVisitorForm, sendVisitorResponse } from '../../http/visitor-form.ts'

export const PASSWORD_RESET_PATH = '/dashboard/password-reset'

const requestSchema = z.object({
  email: z.string().trim().toLowerCase().max(254, 'is too long').pipe(z.email('must be an e-mail address')),
})

/**
 * Registers the page of a forgotten password. It does not look the address up: a workflow does, so that the response and
 * its time are the same for an e-mail of a user and any other.
 */
export function registerPasswordResetRequest(dashboard: DashboardContext): void {
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
