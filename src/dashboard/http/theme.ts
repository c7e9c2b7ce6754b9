import type { RouterContext } from '@koa/router'
import { cookieName, PREFERENCE_MS, setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'

/** Light or dark pages; without a choice those of the system. */

export const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const THEME_COOKIE = 'trilho_theme'

const parseTheme = (text: string | string[] | undefined) => THEMES.find(theme => theme === text) ?? null

export function readTheme(context: Pick<DashboardContext, 'isSecure'>, ctx: RouterContext): Theme | null {
  return parseTheme(ctx.cookies.get(cookieName(THEME_COOKIE, context)))
}

/** Handles `?theme=dark` on any page: stores the choice in a cookie for a year; `system` forgets it. */
export function handleThemeSwitch(context: Pick<DashboardContext, 'isSecure'>, ctx: RouterContext): boolean {
  const { theme } = ctx.query
  const value = parseTheme(theme)
  if (ctx.method !== 'GET' || (value === null && theme !== 'system')) return false
  setCookie(context, ctx, { name: THEME_COOKIE, value, ...(value && { maxAgeMs: PREFERENCE_MS }) })
  const url = new URL(ctx.url, 'http://localhost')
  url.searchParams.delete('theme')
  ctx.status = 303
  ctx.redirect(url.pathname + url.search)
  return true
}
