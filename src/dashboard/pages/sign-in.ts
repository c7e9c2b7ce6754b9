import { randomBytes } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { revokeSession } from '../../db/repositories/dashboard-sessions.ts'
import type { UserRole } from '../../domain/users/roles.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { sha256 } from '../../security/sealing.ts'
import {
  DEVICE_COOKIE_MAX_AGE_MS,
  openDeviceCookie,
  sealDeviceCookie,
} from '../authentication/device-cookie.ts'
import { authenticateUser, createSession, normalizeEmail } from '../authentication/sign-in.ts'
import { cookieName, PAGE_HEADERS, setCookie } from '../http/browser-security.ts'
import type { DashboardContext } from '../http/dashboard-context.ts'
import { parseFormFields, readUrlEncodedForm, requireCsrfToken } from '../http/form.ts'
import { handleLanguageSwitch, readRequestLanguage } from '../http/language.ts'
import { createPage, redirect, sendResponse } from '../http/page.ts'
import { authenticateSession, type DashboardRouter, SESSION_COOKIE, SIGN_IN_PATH } from '../http/router.ts'

/** Accepts any texts: only `authenticateUser` decides whether they are right. */
const credentialsSchema = z.object({ email: z.string().default(''), password: z.string().default('') })

/** Cookie that the form's CSRF token belongs to before there is a session. */
const FORM_COOKIE = 'trilho_form'

/** Cookie of a device that has signed in (src/dashboard/authentication/device-cookie.ts). */
const DEVICE_COOKIE = 'trilho_device'

/** Registers sign-in and sign-out, the only pages without authentication. */
export function registerSignInPages({ dashboard, post }: DashboardRouter): void {
  dashboard.router.koa.get(SIGN_IN_PATH, async ctx => {
    ctx.set(PAGE_HEADERS)
    if (handleLanguageSwitch(dashboard, ctx)) return
    const signedIn = await authenticateSession(dashboard, ctx)
    if (signedIn)
      return sendSignInResponse(dashboard, ctx, { response: redirect(homePathOfRole(signedIn.user.role)) })
    sendSignInForm(dashboard, ctx, { next: ctx.query.next })
  })

  dashboard.router.koa.post(SIGN_IN_PATH, async ctx => {
    ctx.set(PAGE_HEADERS)
    let form = new URLSearchParams()
    try {
      form = await readUrlEncodedForm(ctx)
      const formCookie = ctx.cookies.get(cookieName(FORM_COOKIE, dashboard)) ?? ''
      requireCsrfToken(ctx.req, form.get('_csrf'), deriveFormToken(formCookie))
      const em = dashboard.orm.em.fork()
      const credentials = parseFormFields(credentialsSchema, form)
      const device = openDeviceCookie(ctx.cookies.get(cookieName(DEVICE_COOKIE, dashboard)), dashboard.sealer)
      const user = await authenticateUser(em, {
        ...credentials,
        address: ctx.ip,
        isAddressOfCaller: dashboard.config.isBehindProxy,
        device,
      })
      const sealedDevice = sealDeviceCookie(device, normalizeEmail(credentials.email), dashboard.sealer)
      const deviceCookie = { name: DEVICE_COOKIE, value: sealedDevice, maxAgeMs: DEVICE_COOKIE_MAX_AGE_MS }
      setCookie(dashboard, ctx, deviceCookie)
      setCookie(dashboard, ctx, { name: SESSION_COOKIE, value: await createSession(em, user.uuid) })
      sendSignInResponse(dashboard, ctx, {
        response: redirect(sanitizeReturnPath(form.get('next')) ?? homePathOfRole(user.role)),
      })
    } catch (error) {
      const refusal = toLoggedApiError(ctx, error, dashboard.log)
      sendSignInForm(dashboard, ctx, { next: form.get('next'), email: form.get('email') ?? '', refusal })
    }
  })

  post('any', '/dashboard/sign-out', {
    async handle({ em, session: signedIn }) {
      await revokeSession(em, signedIn)
      return redirect(SIGN_IN_PATH)
    },
  })
}

function homePathOfRole(role: UserRole): string {
  return role === 'operator' ? '/dashboard/operator' : '/dashboard'
}

type SignInFormInput = { next: unknown; email?: string; refusal?: ReturnType<typeof toLoggedApiError> }

/** Sends the sign-in form with its submitted values, except the password. */
function sendSignInForm(
  dashboard: DashboardContext,
  ctx: RouterContext,
  { next, email = '', refusal }: SignInFormInput,
): void {
  const cookie = ctx.cookies.get(cookieName(FORM_COOKIE, dashboard)) ?? randomBytes(32).toString('base64url')
  setCookie(dashboard, ctx, { name: FORM_COOKIE, value: cookie })
  const model = { csrf: deriveFormToken(cookie), next: sanitizeReturnPath(next) ?? '', email }
  sendSignInResponse(dashboard, ctx, {
    response: createPage('sign-in', model, SIGN_IN_PATH),
    ...(refusal && { refusal }),
  })
}

function sendSignInResponse(
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

/** Accepts a return path only to our own pages, so that a sign-in link cannot redirect to another site. */
function sanitizeReturnPath(path: unknown): string | null {
  return typeof path === 'string' && /^\/dashboard(\/[\w/-]*)?(\?[\w=&%.,:+-]*)?$/.test(path) ? path : null
}
