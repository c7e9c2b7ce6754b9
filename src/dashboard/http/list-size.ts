import type { RouterContext } from '@koa/router'
import { cookieName, PREFERENCE_MS, setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { withQuery } from './page.ts'

/** Rows of a page of a list, and how a user changes them. */

/** Choices of a user; the first is the default. */
export const LIST_SIZES = [25, 50, 100] as const
export type ListSize = (typeof LIST_SIZES)[number]

const LIST_SIZE_COOKIE = 'trilho_rows'

const parseSize = (text: string | string[] | undefined) => LIST_SIZES.find(size => String(size) === text)

export function readListSize({ isSecure }: Pick<DashboardContext, 'isSecure'>, ctx: RouterContext): ListSize {
  return parseSize(ctx.cookies.get(cookieName(LIST_SIZE_COOKIE, { isSecure }))) ?? LIST_SIZES[0]
}

/** Handles `?rows=50` on any page: stores the size in a cookie for a year and redirects to the first page of the list. */
export function handleListSizeSwitch(
  { isSecure }: Pick<DashboardContext, 'isSecure'>,
  ctx: RouterContext,
): boolean {
  const size = parseSize(ctx.query.rows)
  if (ctx.method !== 'GET' || size === undefined) return false
  setCookie({ isSecure }, ctx, { name: LIST_SIZE_COOKIE, value: String(size), maxAgeMs: PREFERENCE_MS })
  ctx.status = 303
  ctx.redirect(withQuery(ctx.path, { ...ctx.query, rows: undefined, page: undefined }))
  return true
}
