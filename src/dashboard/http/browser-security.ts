import type { RouterContext } from '@koa/router'
import { buildContentSecurityPolicy } from '../../views/content-security-policy.ts'

/** Security headers of every page: only resources served by us, no inline script or style, no frames. */
export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': buildContentSecurityPolicy({
    'script-src': "'self'",
    'connect-src': "'self'",
    'manifest-src': "'self'",
  }),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'same-origin',
} as const

/** Headers of a page whose address is a permission: neither search engines nor other sites learn it. */
export const SECRET_ADDRESS_HEADERS = {
  ...PAGE_HEADERS,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
} as const

/** Cookie of a session, with its secret. */
export const SESSION_COOKIE = 'trilho_session'

type CookieInput = {
  name: string
  value: string | null
  maxAgeMs?: number
  /** Sent with requests below this path only; its name then has no `__Host-`. Every path where absent. */
  path?: string
}

/** How long a browser keeps what a user prefers. */
export const PREFERENCE_MS = 365 * 24 * 60 * 60 * 1_000

/** Sets a cookie that scripts cannot read and other sites cannot send; null deletes it. */
export function setCookie(
  { isSecure }: { isSecure: boolean },
  ctx: RouterContext,
  { name, value, maxAgeMs, path }: CookieInput,
): void {
  // Behind a proxy of ours our connection is plain HTTP, the browser's is HTTPS.
  ctx.cookies.secure = isSecure
  ctx.cookies.set(path === undefined ? cookieName(name, { isSecure }) : name, value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path: path ?? '/',
    overwrite: true,
    ...(maxAgeMs !== undefined && { maxAge: maxAgeMs }),
  })
}

/** Returns the name of a cookie of every path; over HTTPS with `__Host-`, by which browsers keep other hosts from setting it. */
export function cookieName(name: string, { isSecure }: { isSecure: boolean }): string {
  return isSecure ? `__Host-${name}` : name
}
