import type { RouterContext } from '@koa/router'
import { LANGUAGES, type Language, negotiateLanguage } from '../i18n/translator.ts'
import { cookieName, setCookie } from './browser-security.ts'
import { withQuery } from './page.ts'
import type { DashboardContext } from './router.ts'

/** In which language pages are shown, and how a person changes it. */

const LANGUAGE_COOKIE = 'trilho_language'
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000

export function readRequestLanguage(
  { isSecure }: Pick<DashboardContext, 'isSecure'>,
  ctx: RouterContext,
): Language {
  return negotiateLanguage(
    ctx.cookies.get(cookieName(LANGUAGE_COOKIE, { isSecure })),
    ctx.get('Accept-Language'),
  )
}

/** `?lang=en` on any page: kept for a year, and the page is shown anew without it. */
export function handleLanguageSwitch(
  { isSecure }: Pick<DashboardContext, 'isSecure'>,
  ctx: RouterContext,
): boolean {
  const { lang } = ctx.query
  if (ctx.method !== 'GET' || !LANGUAGES.includes(lang as Language)) return false
  setCookie(ctx, {
    name: LANGUAGE_COOKIE,
    value: lang as Language,
    isSecure,
    maxAgeMs: YEAR_MS,
  })
  ctx.status = 303
  ctx.redirect(withQuery(ctx.path, { ...ctx.query, lang: undefined }))
  return true
}
