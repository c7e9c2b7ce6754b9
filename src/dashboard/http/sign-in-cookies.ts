import type { RouterContext } from '@koa/router'
import { revokeSession } from '../../db/repositories/dashboard-sessions.ts'
import { sha256 } from '../../security/sealing.ts'
import {
  DEVICE_COOKIE_MAX_AGE_MS,
  type DeviceCookie,
  openDeviceCookie,
  sealDeviceCookie,
} from '../authentication/device-cookie.ts'
import { createSession, type VerifiedSignIn } from '../authentication/sign-in.ts'
import { cookieName, SESSION_COOKIE, setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'

/** Cookie of a device that has signed in (src/dashboard/authentication/device-cookie.ts). */
const DEVICE_COOKIE = 'trilho_device'

/**
 * Gives the browser a session of a user who has passed every step, and remembers the device. The session that the browser
 * had before ends. Fails where the user has changed since (`createSession`).
 */
export async function signIn(
  dashboard: DashboardContext,
  ctx: RouterContext,
  { user, totpUuid }: VerifiedSignIn & { user: { email: string } },
): Promise<void> {
  const browser = { userAgent: ctx.get('User-Agent'), address: ctx.ip }
  const secret = await createSession(dashboard.orm.em.fork(), { user, totpUuid }, browser)
  const earlier = ctx.cookies.get(cookieName(SESSION_COOKIE, dashboard))
  if (earlier) await revokeSession(dashboard.orm.em.fork(), sha256(earlier))
  const device = sealDeviceCookie(readDeviceCookie(dashboard, ctx), user.email, dashboard.sealer)
  setCookie(dashboard, ctx, { name: DEVICE_COOKIE, value: device, maxAgeMs: DEVICE_COOKIE_MAX_AGE_MS })
  setCookie(dashboard, ctx, { name: SESSION_COOKIE, value: secret })
}

/** Reads the cookie of a device that has signed in before. */
export function readDeviceCookie(dashboard: DashboardContext, ctx: RouterContext): DeviceCookie | null {
  return openDeviceCookie(ctx.cookies.get(cookieName(DEVICE_COOKIE, dashboard)), dashboard.sealer)
}
