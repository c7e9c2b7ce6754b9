import { randomUUID } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { ApiError } from '../../api/http/api-error.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { sha256 } from '../../security/sealing.ts'
import type { DashboardSession } from '../authentication/session.ts'
import { translateFieldMessage } from '../i18n/field-messages.ts'
import { LANGUAGES, type Language, TRANSLATORS } from '../i18n/translator.ts'
import { FORMATS } from '../views/formats.ts'
import { renderIcon } from '../views/icons.ts'
import { buildNavigation } from '../views/navigation.ts'
import type { DashboardContext } from './router.ts'

/** What pages themselves read of a query, beside the filters of their lists. */
export const RESERVED_QUERY_NAMES = ['seen', 'done', 'lang', 'mode']

/** What a visit comes to. */
type PageResponse = { kind: 'page'; view: string; model: object; etag: string; selfPath?: string | undefined }
export type DashboardResponse =
  | PageResponse
  | { kind: 'redirect'; path: string }
  | { kind: 'file'; type: string; name?: string; body: string | Buffer }

/** A page with a hash of its model, or of `marked`, like an ETag: the browser polls and renders it again when the hash changes. */
export function createPage(
  view: string,
  told: object,
  self?: string,
  marked: object = told,
): DashboardResponse {
  const mark = sha256(JSON.stringify(marked)).toString('hex').slice(0, 16)
  return { kind: 'page', view, model: told, etag: mark, selfPath: self }
}

/** To another page, which says what was done, of the mode in which it was done. */
export function redirect(path: string, done?: string, mode?: string): DashboardResponse {
  return { kind: 'redirect', path: withQuery(path, { mode, done }) }
}

/** To the address that a page has for itself. */
export function redirectToOwnPage(shown: DashboardResponse | undefined): DashboardResponse {
  return redirect((shown?.kind === 'page' && shown.selfPath) || '/dashboard')
}

type ResponseInput = {
  response: DashboardResponse | undefined
  session?: DashboardSession | undefined
  language: Language
  refusal?: ApiError
  /** What the refused form called its wish. */
  submissionId?: string | null | undefined
}

/** Answers a browser; a refusal stands above the page it belongs to, or has a page of its own. */
export function sendResponse(house: DashboardContext, ctx: RouterContext, answering: ResponseInput): void {
  const { refusal } = answering
  const shown = answering.response ?? createPage('problem', {})
  if (refusal?.details.retryAfterS !== undefined) ctx.set('Retry-After', String(refusal.details.retryAfterS))
  switch (shown.kind) {
    case 'redirect':
      ctx.status = 303
      ctx.redirect(shown.path)
      return
    case 'file':
      ctx.type = shown.type
      if (shown.name) ctx.set('Content-Disposition', `attachment; filename="${shown.name}"`)
      ctx.body = shown.body
      return
    case 'page':
      // A page that looks for news, and there are none.
      if (ctx.query.seen === shown.etag) {
        ctx.status = 204
        return
      }
      ctx.status = refusal?.status ?? 200
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = house.views.render(shown.view, {
        ...buildSharedModel(house, ctx, answering, shown),
        ...shown.model,
      })
  }
}

/** What every template may say, beside what its page tells. */
function buildSharedModel(
  house: DashboardContext,
  ctx: RouterContext,
  answering: ResponseInput,
  shown: PageResponse,
) {
  const { session: signedIn, language, refusal } = answering
  const kept = reuseSubmissionId(answering)
  const t = TRANSLATORS[language]
  const done = `done.${ctx.query.done}`
  // A page that answers a refused POST stands at the address of its own GET.
  const path = shown.selfPath ?? ctx.path
  const link = (change: Record<string, string | undefined>) => withQuery(path, { ...ctx.query, ...change })
  return {
    t,
    said: (message: string) => translateFieldMessage(language, message),
    f: FORMATS[language],
    icon: renderIcon,
    language,
    languages: LANGUAGES,
    path,
    query: ctx.query,
    isFiltered: Object.keys(ctx.query).some(name => name !== 'page' && !RESERVED_QUERY_NAMES.includes(name)),
    link,
    /** Where this page looks whether it is still true. */
    live: link({ seen: shown.etag, done: undefined }),
    signedIn,
    csrf: signedIn?.csrf,
    /** A form that is sent twice by mistake does once what it does. */
    once: kept ?? randomUUID(),
    navigation: signedIn ? buildNavigation(signedIn.user.role, path) : [],
    assets: Object.fromEntries(house.assets.map(asset => [asset.name, asset.path])),
    done: ctx.method === 'GET' && t.has(done) ? t(done) : null,
    refusal: refusal && {
      code: refusal.code,
      errors: refusal.details.errors ?? {},
      text: t.has(`refusal.${refusal.code}`)
        ? t(`refusal.${refusal.code}`, { now: refusal.details.currentStateText ?? '' })
        : refusal.message,
      /** It may have been taken all the same: the page looks for news, and its form asks for no second one. */
      isOpen: kept !== null && refusal.status >= 500,
    },
    requestId: ctx.state.requestId,
    workflow: createWorkflowLinks(house.config.temporal),
  }
}

/**
 * A refused form stays the same wish, however often it is sent, unless its refusal stands for good: what an earlier answer
 * has left open a later one need not have looked at.
 */
function reuseSubmissionId({ refusal, submissionId: once }: ResponseInput): string | null {
  return refusal && !refusal.details.isFinalForKey && uuidSchema.safeParse(once).success ? once! : null
}

/** A life in the Temporal UI; null where no UI is configured. */
function createWorkflowLinks({ uiUrl, namespace }: DashboardContext['config']['temporal']) {
  return (id: string) =>
    uiUrl ? `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}` : null
}

type UrlQuery = Record<string, string | string[] | undefined>

/** A path with what a query has, but for what is empty. */
export function withQuery(path: string, query: UrlQuery): string {
  const kept = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') kept.set(name, [value].flat().join(','))
  return kept.size === 0 ? path : `${path}?${kept}`
}
