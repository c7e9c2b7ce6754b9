import { randomBytes } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { refusalFor } from '../../api/failure.ts'
import { sha256 } from '../../sealing.ts'
import { DEVICE_MS, readDevice, writeDevice } from '../devices.ts'
import { type Door, type House, SESSION_COOKIE, SIGN_IN, whoCalls } from '../door.ts'
import { readForm, required, requireOwnForm } from '../form.ts'
import { languageFor, switchesLanguage } from '../language.ts'
import { answerWith, elsewhere, page } from '../page.ts'
import { cookieName, keepCookie, PAGE_HEADERS } from '../policy.ts'
import { openSession, revokeSession } from '../sessions.ts'
import { authenticateUser, normalEmail } from '../sign-in.ts'

/** Only `authenticateUser` says what is wrong with them, so long as they are texts at all. */
const credentials = z.object({ email: z.string().default(''), password: z.string().default('') })

/** Before there is a session the form belongs to a cookie of its own. */
const FORM_COOKIE = 'trilho_form'

/** Of a device that has signed in: strangers' failures are not counted against it (src/dashboard/devices.ts). */
const DEVICE_COOKIE = 'trilho_device'

/** Signing in and out: the only pages that strangers see. */
export function signInPages({ house, post }: Door): void {
  house.router.koa.get(SIGN_IN, async ctx => {
    ctx.set(PAGE_HEADERS)
    if (switchesLanguage(house, ctx)) return
    const signedIn = await whoCalls(house, ctx)
    if (signedIn) return answer(house, ctx, { shown: elsewhere(homeOf(signedIn.user.role)) })
    showForm(house, ctx, { next: ctx.query.next })
  })

  house.router.koa.post(SIGN_IN, async ctx => {
    ctx.set(PAGE_HEADERS)
    let form = new URLSearchParams()
    try {
      form = await readForm(ctx.req)
      requireOwnForm(
        ctx.req,
        form.get('_csrf'),
        formToken(ctx.cookies.get(cookieName(FORM_COOKIE, house)) ?? ''),
      )
      const em = house.orm.em.fork()
      const [email, password] = [form.get('email') ?? '', form.get('password') ?? '']
      const given = required(credentials, { email, password })
      const device = readDevice(ctx.cookies.get(cookieName(DEVICE_COOKIE, house)), house.sealer)
      const user = await authenticateUser(em, {
        ...given,
        address: ctx.ip,
        isAddressOfCaller: house.config.isBehindProxy,
        device,
      })
      keepCookie(ctx, {
        name: DEVICE_COOKIE,
        value: writeDevice(device, normalEmail(given.email), house.sealer),
        isSecure: house.isSecure,
        maxAgeMs: DEVICE_MS,
      })
      keepCookie(ctx, {
        name: SESSION_COOKIE,
        value: await openSession(em, user.uuid),
        isSecure: house.isSecure,
      })
      answer(house, ctx, { shown: elsewhere(ownPath(form.get('next')) ?? homeOf(user.role)) })
    } catch (error) {
      const refusal = refusalFor(ctx, error, house.log)
      showForm(house, ctx, { next: form.get('next'), email: form.get('email') ?? '', refusal })
    }
  })

  post('any', '/dashboard/sign-out', {
    async act({ em, signedIn }) {
      await revokeSession(em, signedIn)
      return elsewhere(SIGN_IN)
    },
  })
}

function homeOf(role: 'merchant' | 'operator'): string {
  return role === 'operator' ? '/dashboard/operator' : '/dashboard'
}

type Form = { next: unknown; email?: string; refusal?: ReturnType<typeof refusalFor> }

/** The form, with what it was sent with but for the password. */
function showForm(house: House, ctx: RouterContext, { next, email = '', refusal }: Form): void {
  const cookie = ctx.cookies.get(cookieName(FORM_COOKIE, house)) ?? randomBytes(32).toString('base64url')
  keepCookie(ctx, { name: FORM_COOKIE, value: cookie, isSecure: house.isSecure })
  const told = { csrf: formToken(cookie), next: ownPath(next) ?? '', email }
  answer(house, ctx, { shown: page('sign-in', told, SIGN_IN), ...(refusal && { refusal }) })
}

function answer(
  house: House,
  ctx: RouterContext,
  answering: Omit<Parameters<typeof answerWith>[2], 'language'>,
): void {
  answerWith(house, ctx, { ...answering, language: languageFor(house, ctx) })
}

/** What the form must carry to belong to the cookie; the cookie itself no page shows. */
function formToken(cookie: string): string {
  return sha256(`sign-in ${cookie}`).toString('base64url')
}

/** Only ever a page of ours: nobody is sent elsewhere by a link to our own sign-in. */
function ownPath(path: unknown): string | null {
  return typeof path === 'string' && /^\/dashboard(\/[\w/-]*)?(\?[\w=&%.,:+-]*)?$/.test(path) ? path : null
}
