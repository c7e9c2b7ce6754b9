import type { RouterContext } from '@koa/router'
import { LANGUAGES, type Language, negotiateLanguage } from '../i18n/translator.ts'
import { cookieName, PREFERENCE_MS, setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { withQuery } from './page.ts'

/** Language of the pages, and how a user changes it. */

const LANGUAGE_COOKIE = 'trilho_language'

export function readRequestLanguage({ isSecure }: Pick<DashboardContext, 'isSecure'>, ctx: RouterContext) {
  return negotiateLanguage(
    ctx.cookies.get(cookieName(LANGUAGE_COOKIE, { isSecure })),
    ctx.get('Accept-Language'),
  )
}

/** Handles `?lang=en` on any page: stores the language in a cookie for a year and redirects to the page without it. */
export function handleLanguageSwitch({ isSecure }: Pick<DashboardContext, 'isSecure'>, ctx: RouterContext) {
  const { lang } = ctx.query
  if (ctx.method !== 'GET' || !LANGUAGES.includes(lang as Language)) return false
  setCookie({ isSecure }, ctx, { name: LANGUAGE_COOKIE, value: lang as Language, maxAgeMs: PREFERENCE_MS })
  ctx.status = 303
  ctx.redirect(withQuery(ctx.path, { ...ctx.query, lang: undefined }))
  return true
}
