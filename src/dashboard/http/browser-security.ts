import type { RouterContext } from '@koa/router'

/** What a browser may do with our pages: nothing that is not served by us, no script or style inside a page, no frame. */
export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The base style sheet draws its arrows and ticks as data.
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'same-origin',
} as const

type CookieInput = { name: string; value: string | null; isSecure: boolean; maxAgeMs?: number }

/** A cookie that scripts cannot read and other sites cannot send; null takes it away. */
export function setCookie(ctx: RouterContext, { name, value, isSecure, maxAgeMs }: CookieInput): void {
  // Behind a proxy of ours the connection to us is plain, the browser's is not.
  ctx.cookies.secure = isSecure
  ctx.cookies.set(cookieName(name, { isSecure }), value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path: '/',
    overwrite: true,
    ...(maxAgeMs !== undefined && { maxAge: maxAgeMs }),
  })
}

/** Where the connection is secure the browser itself keeps other hosts from setting it. */
export function cookieName(name: string, { isSecure }: { isSecure: boolean }): string {
  return isSecure ? `__Host-${name}` : name
}
