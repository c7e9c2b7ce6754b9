import { randomUUID } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import type { Refusal } from '../api/errors.ts'
import { sha256 } from '../sealing.ts'
import { uuid } from '../wire/common.ts'
import type { House } from './door.ts'
import { fieldMessage } from './field-messages.ts'
import { FORMATS } from './formats.ts'
import { icon } from './icons.ts'
import { navigationOf } from './navigation.ts'
import type { SignedIn } from './sessions.ts'
import { LANGUAGES, type Language, WORDS } from './words.ts'

/** What pages themselves read of a query, beside the filters of their lists. */
export const OURS = ['seen', 'done', 'lang', 'mode']

/** What a visit comes to. */
type Page = { kind: 'page'; view: string; told: object; mark: string; self?: string | undefined }
export type Shown =
  | Page
  | { kind: 'elsewhere'; path: string }
  | { kind: 'file'; type: string; name?: string; body: string | Buffer }

/** A page with a hash of its model, or of `marked`, like an ETag: the browser polls and renders it again when the hash changes. */
export function page(view: string, told: object, self?: string, marked: object = told): Shown {
  const mark = sha256(JSON.stringify(marked)).toString('hex').slice(0, 16)
  return { kind: 'page', view, told, mark, self }
}

/** To another page, which says what was done, of the mode in which it was done. */
export function elsewhere(path: string, done?: string, mode?: string): Shown {
  return { kind: 'elsewhere', path: withQuery(path, { mode, done }) }
}

/** To the address that a page has for itself. */
export function itsPage(shown: Shown | undefined): Shown {
  return elsewhere((shown?.kind === 'page' && shown.self) || '/dashboard')
}

type Answering = {
  shown: Shown | undefined
  signedIn?: SignedIn | undefined
  language: Language
  refusal?: Refusal
  /** What the refused form called its wish. */
  once?: string | null | undefined
}

/** Answers a browser; a refusal stands above the page it belongs to, or has a page of its own. */
export function answerWith(house: House, ctx: RouterContext, answering: Answering): void {
  const { refusal } = answering
  const shown = answering.shown ?? page('problem', {})
  if (refusal?.more.retryAfterS !== undefined) ctx.set('Retry-After', String(refusal.more.retryAfterS))
  switch (shown.kind) {
    case 'elsewhere':
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
      if (ctx.query.seen === shown.mark) {
        ctx.status = 204
        return
      }
      ctx.status = refusal?.status ?? 200
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = house.views.render(shown.view, { ...shared(house, ctx, answering, shown), ...shown.told })
  }
}

/** What every template may say, beside what its page tells. */
function shared(house: House, ctx: RouterContext, answering: Answering, shown: Page) {
  const { signedIn, language, refusal } = answering
  const kept = keptOnce(answering)
  const t = WORDS[language]
  const done = `done.${ctx.query.done}`
  // A page that answers a refused POST stands at the address of its own GET.
  const path = shown.self ?? ctx.path
  const link = (change: Record<string, string | undefined>) => withQuery(path, { ...ctx.query, ...change })
  return {
    t,
    said: (message: string) => fieldMessage(language, message),
    f: FORMATS[language],
    icon,
    language,
    languages: LANGUAGES,
    path,
    query: ctx.query,
    isFiltered: Object.keys(ctx.query).some(name => name !== 'page' && !OURS.includes(name)),
    link,
    /** Where this page looks whether it is still true. */
    live: link({ seen: shown.mark, done: undefined }),
    signedIn,
    csrf: signedIn?.csrf,
    /** A form that is sent twice by mistake does once what it does. */
    once: kept ?? randomUUID(),
    navigation: signedIn ? navigationOf(signedIn.user.role, path) : [],
    assets: Object.fromEntries(house.assets.map(asset => [asset.name, asset.path])),
    done: ctx.method === 'GET' && t.has(done) ? t(done) : null,
    refusal: refusal && {
      code: refusal.code,
      errors: refusal.more.errors ?? {},
      text: t.has(`refusal.${refusal.code}`)
        ? t(`refusal.${refusal.code}`, { now: refusal.more.now ?? '' })
        : refusal.message,
      /** It may have been taken all the same: the page looks for news, and its form asks for no second one. */
      isOpen: kept !== null && refusal.status >= 500,
    },
    requestId: ctx.state.requestId,
    workflow: workflows(house.config.temporal),
  }
}

/**
 * A refused form stays the same wish, however often it is sent, unless its refusal stands for good: what an earlier answer
 * has left open a later one need not have looked at.
 */
function keptOnce({ refusal, once }: Answering): string | null {
  return refusal && !refusal.more.isKept && uuid.safeParse(once).success ? once! : null
}

/** A life in the Temporal UI; null where no UI is configured. */
function workflows({ uiUrl, namespace }: House['config']['temporal']) {
  return (id: string) =>
    uiUrl ? `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}` : null
}

type Query = Record<string, string | string[] | undefined>

/** A path with what a query has, but for what is empty. */
export function withQuery(path: string, query: Query): string {
  const kept = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') kept.set(name, [value].flat().join(','))
  return kept.size === 0 ? path : `${path}?${kept}`
}
