import { randomBytes } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import { sha256 } from '../../security/sealing.ts'
import { cookieName, setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { requireCsrfToken } from './form.ts'
import { readRequestLanguage } from './language.ts'
import { sendResponse } from './page.ts'

/** Forms of a visitor without a session: the sign-in and an invitation. Their CSRF token belongs to a cookie. */

const FORM_COOKIE = 'trilho_form'

/** Sets the cookie of a visitor's form, and returns the form's CSRF token. */
export function issueVisitorFormToken(dashboard: DashboardContext, ctx: RouterContext): string {
  const cookie = ctx.cookies.get(cookieName(FORM_COOKIE, dashboard)) ?? randomBytes(32).toString('base64url')
  setCookie(dashboard, ctx, { name: FORM_COOKIE, value: cookie })
  return deriveFormToken(cookie)
}

/** Fails unless a visitor's form carries the CSRF token of its cookie. */
export function requireVisitorFormToken(
  dashboard: DashboardContext,
  ctx: RouterContext,
  form: URLSearchParams,
): void {
  const cookie = ctx.cookies.get(cookieName(FORM_COOKIE, dashboard)) ?? ''
  requireCsrfToken(ctx.req, form.get('_csrf'), deriveFormToken(cookie))
}

/** Sends a response to a visitor without a session. */
export function sendVisitorResponse(
  dashboard: DashboardContext,
  ctx: RouterContext,
  answering: Omit<Parameters<typeof sendResponse>[2], 'language'>,
): void {
  sendResponse(dashboard, ctx, { ...answering, language: readRequestLanguage(dashboard, ctx) })
}

/** Derives the form's CSRF token from the cookie; no page shows the cookie itself. */
function deriveFormToken(cookie: string): string {
  return sha256(`sign-in ${cookie}`).toString('base64url')
}
