import { randomBytes } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { EntityManager } from '../../db/client/orm.ts'
import { type ApiError, fail } from '../../http/api-error.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { sha256 } from '../../security/sealing.ts'
import { cookieName, PAGE_HEADERS, setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { forkForForm, readUrlEncodedForm, requireCsrfToken } from './form.ts'
import { readRequestLanguage } from './language.ts'
import { sendResponse } from './page.ts'

/** Forms of a visitor without a session, such as the sign-in and an invitation. Their CSRF token belongs to a cookie. */

const FORM_COOKIE = 'trilho_form'

/** Sets the cookie of a visitor's form, and returns the form's CSRF token. */
export function issueVisitorFormToken(dashboard: DashboardContext, ctx: RouterContext): string {
  const cookie = ctx.cookies.get(cookieName(FORM_COOKIE, dashboard)) || randomBytes(32).toString('base64url')
  setCookie(dashboard, ctx, { name: FORM_COOKIE, value: cookie })
  return deriveFormToken(cookie)
}

type VisitorForm = {
  /** Of its pages: those of every page where absent. */
  headers?: Record<string, string>
  /** Processes the form and sends its page; the transactions of `em` are committed within the deadline of the request. */
  handle(ctx: RouterContext, form: URLSearchParams, em: EntityManager): Promise<void>
  /** Sends the page again after a failure; `form` is empty where it could not be read. */
  refuse(ctx: RouterContext, form: URLSearchParams, refusal: ApiError): void | Promise<void>
}

/**
 * Registers the POST of a visitor's form. The headers of its pages are set first; a form that cannot be read or that lacks
 * the CSRF token of its cookie is refused before it is processed.
 */
export function registerVisitorForm(
  dashboard: DashboardContext,
  path: string,
  { handle, refuse, headers = PAGE_HEADERS }: VisitorForm,
): void {
  dashboard.router.koa.post(path, async ctx => {
    ctx.set(headers)
    let form = new URLSearchParams()
    try {
      form = await readUrlEncodedForm(ctx)
      requireVisitorFormToken(dashboard, ctx, form)
      getRequestDeadline().markHandled()
      const work = handle(ctx, form, forkForForm(dashboard.orm.em))
      await work.catch(error => {
        getRequestDeadline().failIfCommitting(error)
        throw error
      })
    } catch (error) {
      await refuse(ctx, form, toLoggedApiError(ctx, error, dashboard.log))
    }
  })
}

/** Fails unless a visitor's form has its cookie and carries the cookie's CSRF token; without a cookie none is valid. */
function requireVisitorFormToken(
  dashboard: DashboardContext,
  ctx: RouterContext,
  form: URLSearchParams,
): void {
  const cookie = ctx.cookies.get(cookieName(FORM_COOKIE, dashboard)) || fail('form_expired')
  requireCsrfToken(ctx.req, form.get('_csrf'), deriveFormToken(cookie))
}

/** Sends a response to a visitor without a session. */
export function sendVisitorResponse(
  dashboard: DashboardContext,
  ctx: RouterContext,
  input: Omit<Parameters<typeof sendResponse>[2], 'language'>,
): void {
  sendResponse(dashboard, ctx, { ...input, language: readRequestLanguage(dashboard, ctx) })
}

/** Derives the form's CSRF token from the cookie; no page shows the cookie itself. */
function deriveFormToken(cookie: string): string {
  return sha256(`sign-in ${cookie}`).toString('base64url')
}
