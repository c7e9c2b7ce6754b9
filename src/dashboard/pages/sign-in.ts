import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { hasSecondFactor } from '../../admin/second-factor.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { User } from '../../db/entities/user.ts'
import { revokeSession } from '../../db/repositories/dashboard-sessions.ts'
import type { UserRole } from '../../domain/users/roles.ts'
import type { ApiError } from '../../http/api-error.ts'
import {
  findSecondStepUser,
  requireSecondFactor,
  SECOND_STEP_MAX_AGE_MS,
  sealSecondStep,
} from '../authentication/second-step.ts'
import { authenticateUser } from '../authentication/sign-in.ts'
import { cookieName, PAGE_HEADERS, setCookie } from '../http/browser-security.ts'
import { parseFormFields } from '../http/form.ts'
import { handleLanguageSwitch } from '../http/language.ts'
import { createPage, redirect, withQuery } from '../http/page.ts'
import { authenticateSession, type DashboardRouter, SIGN_IN_PATH } from '../http/router.ts'
import { readDeviceCookie, signIn } from '../http/sign-in-cookies.ts'
import { issueVisitorFormToken, registerVisitorForm, sendVisitorResponse } from '../http/visitor-form.ts'

/** Accepts any texts: only `authenticateUser` decides whether they are right. */
const credentialsSchema = z.object({ email: z.string().default(''), password: z.string().default('') })
const codeSchema = z.object({ code: z.string().max(100).default('') })

const CODE_PATH = `${SIGN_IN_PATH}/code`

/** Cookie between the password and the code (src/dashboard/authentication/second-step.ts). */
const SECOND_STEP_COOKIE = 'trilho_second_step'

/** Registers sign-in in one or two steps, and sign-out. */
export function registerSignInPages({ dashboard, post }: DashboardRouter): void {
  const { koa } = dashboard.router

  koa.get(SIGN_IN_PATH, async ctx => {
    ctx.set(PAGE_HEADERS)
    if (handleLanguageSwitch(dashboard, ctx)) return
    const session = await authenticateSession(dashboard, ctx)
    if (session) return redirectTo(ctx, homePathOfRole(session.user.role))
    sendForm(ctx, 'sign-in', { next: ctx.query.next })
  })

  registerVisitorForm(dashboard, SIGN_IN_PATH, {
    async handle(ctx, form) {
      const em = dashboard.orm.em.fork()
      const user = await authenticateUser(em, {
        ...parseFormFields(credentialsSchema, form),
        address: ctx.ip,
        isAddressOfCaller: dashboard.config.isBehindProxy,
        device: readDeviceCookie(dashboard, ctx),
      })
      const next = sanitizeReturnPath(form.get('next'))
      if (await hasSecondFactor(em.fork(), user.uuid)) {
        const value = sealSecondStep(user, dashboard.sealer)
        setCookie(dashboard, ctx, { name: SECOND_STEP_COOKIE, value, maxAgeMs: SECOND_STEP_MAX_AGE_MS })
        return redirectTo(ctx, CODE_PATH, next)
      }
      await signIn(dashboard, ctx, { user, totpUuid: null })
      redirectTo(ctx, next ?? homePathOfRole(user.role))
    },
    refuse(ctx, form, refusal) {
      sendForm(ctx, 'sign-in', { next: form.get('next'), email: form.get('email') ?? '', refusal })
    },
  })

  koa.get(CODE_PATH, async ctx => {
    ctx.set(PAGE_HEADERS)
    if (handleLanguageSwitch(dashboard, ctx)) return
    const { next } = ctx.query
    if (await findUserOfCookie(ctx)) sendForm(ctx, 'sign-in-code', { next })
    else redirectTo(ctx, SIGN_IN_PATH, sanitizeReturnPath(next))
  })

  registerVisitorForm(dashboard, CODE_PATH, {
    async handle(ctx, form, em) {
      const next = sanitizeReturnPath(form.get('next'))
      const user = await findUserOfCookie(ctx)
      if (!user) return redirectTo(ctx, SIGN_IN_PATH, next)
      const { code } = parseFormFields(codeSchema, form)
      const totpUuid = await requireSecondFactor(em, dashboard.sealer, { user, code })
      setCookie(dashboard, ctx, { name: SECOND_STEP_COOKIE, value: null })
      await signIn(dashboard, ctx, { user, totpUuid })
      redirectTo(ctx, next ?? homePathOfRole(user.role))
    },
    refuse(ctx, form, refusal) {
      sendForm(ctx, 'sign-in-code', { next: form.get('next'), refusal })
    },
  })

  post('any', '/dashboard/sign-out', {
    async handle({ em, session }) {
      await runInTransaction(em, tx => revokeSession(tx, Buffer.from(session.sessionHash, 'hex')))
      return redirect(SIGN_IN_PATH)
    },
  })

  function findUserOfCookie(ctx: RouterContext): Promise<User | null> {
    const cookie = ctx.cookies.get(cookieName(SECOND_STEP_COOKIE, dashboard))
    return findSecondStepUser(dashboard.orm.em.fork(), cookie, dashboard.sealer)
  }

  function redirectTo(ctx: RouterContext, path: string, next?: string | null): void {
    const response = redirect(withQuery(path, { next: next ?? undefined }))
    sendVisitorResponse(dashboard, ctx, { response })
  }

  /** Sends the form of a step again with its submitted values, except the password and the code. */
  function sendForm(
    ctx: RouterContext,
    view: 'sign-in' | 'sign-in-code',
    { next, email = '', refusal }: { next: unknown; email?: string; refusal?: ApiError },
  ): void {
    const csrf = issueVisitorFormToken(dashboard, ctx)
    const model = { csrf, next: sanitizeReturnPath(next) ?? '', email }
    const path = view === 'sign-in' ? SIGN_IN_PATH : CODE_PATH
    sendVisitorResponse(dashboard, ctx, {
      response: createPage(view, model, path),
      ...(refusal && { refusal }),
    })
  }
}

function homePathOfRole(role: UserRole): string {
  return role === 'operator' ? '/dashboard/operator' : '/dashboard'
}

/** Any host will do: only a path of our own pages keeps it. */
const OWN_ORIGIN = 'https://dashboard.invalid'

/** Accepts a return path only to our own pages, so that a sign-in link cannot redirect to another site. */
function sanitizeReturnPath(path: unknown): string | null {
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, OWN_ORIGIN)) return null
  const { origin, pathname, search } = new URL(path, OWN_ORIGIN)
  return origin === OWN_ORIGIN && /^\/dashboard(\/[^/]|$)/.test(pathname) ? pathname + search : null
}
