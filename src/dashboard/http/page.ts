import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RouterContext } from '@koa/router'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import type { ShownPause } from '../../db/repositories/pauses.ts'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'
import type { AccountPermission } from '../../domain/users/roles.ts'
import type { ApiError } from '../../http/api-error.ts'
import type { FieldMessage } from '../../http/field-message.ts'
import { sha256 } from '../../security/sealing.ts'
import { buildAccountWorkflowsUrl, buildWorkflowUrl } from '../../temporal/ui-links.ts'
import { html, type Markup } from '../../views/markup.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import { describeCause, isListedCause } from '../i18n/causes.ts'
import { LANGUAGES, type Language, TRANSLATORS, translateFieldMessage } from '../i18n/translator.ts'
import { getFormats } from '../views/formats.ts'
import { renderIcon } from '../views/icons.ts'
import { buildNavigation, readsOpenedAccount } from '../views/navigation.ts'
import { renderShareBar } from '../views/plots.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { readTheme, THEMES } from './theme.ts'

/** Query parameters of the pages themselves, besides list filters. */
export const RESERVED_QUERY_NAMES = [
  'seen',
  'done',
  'lang',
  'mode',
  'draft',
  'names',
  'sort',
  'rows',
  'example',
  'theme',
]

/** Configuration of htmx: it runs no code of a page, and asks no other site. */
const HTMX_CONFIG = JSON.stringify({
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  historyEnabled: false,
  selfRequestsOnly: true,
})

type PageResponse = { kind: 'page'; view: string; model: object; etag: string; selfPath?: string | undefined }
export type DashboardResponse =
  | PageResponse
  | { kind: 'redirect'; path: string }
  | { kind: 'file'; type: string; name?: string; body: string | Buffer | Readable }

/** Creates a page with a hash of its model, or of `etagSource`, by which the polling browser detects a change. */
export function createPage(
  view: string,
  model: object,
  selfPath?: string,
  etagSource: object = model,
): DashboardResponse {
  const etag = sha256(JSON.stringify(etagSource)).toString('hex').slice(0, 16)
  return { kind: 'page', view, model, etag, selfPath }
}

/** Redirects to another page, which reports what was done, in the mode in which it was done. */
export function redirect(path: string, outcome?: string, mode?: string): DashboardResponse {
  return { kind: 'redirect', path: withQuery(path, { mode, done: outcome }) }
}

/** Members of a page's model without the notice of what was done, where that is over: `outcome` names the notice. */
export function hideDone({ query }: { query: Record<string, string> }, outcome: string): { done?: null } {
  return query.done === outcome ? { done: null } : {}
}

type ResponseInput = {
  response: DashboardResponse | undefined
  session?: DashboardSession | null
  language: Language
  /** Default: that of the session's account. */
  timeZone?: string | undefined
  refusal?: ApiError
  /** How much waits behind an entry of the menu, by the entry's name. */
  tasks?: Record<string, number>
  /** What operators have paused, of the user's account or anywhere, the widest first. */
  pauses?: ShownPause[]
  /** Fields of the submitted form; the page shows them again. */
  typed?: Record<string, unknown>
  /** Whether `typed` was typed before the session ended. */
  isRestored?: boolean
}

/** Sends a response to the browser; an error is shown above the page it belongs to, or on a page of its own. */
export function sendResponse(context: DashboardContext, ctx: RouterContext, input: ResponseInput): void {
  const { refusal } = input
  const page = input.response ?? createPage('problem', {})
  if (refusal?.details.retryAfterS !== undefined) ctx.set('Retry-After', String(refusal.details.retryAfterS))
  switch (page.kind) {
    case 'redirect':
      ctx.status = 303
      ctx.redirect(page.path)
      return
    case 'file':
      ctx.type = page.type
      if (page.name) ctx.set('Content-Disposition', `attachment; filename="${page.name}"`)
      ctx.body = page.body
      return
    case 'page':
      // A polling page whose hash has not changed.
      if (ctx.query.seen === page.etag) {
        ctx.status = 204
        return
      }
      ctx.status = refusal?.status ?? 200
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = context.views.render(page.view, {
        ...buildSharedModel(context, ctx, input, page),
        ...page.model,
      })
  }
}

function buildSharedModel(
  context: DashboardContext,
  ctx: RouterContext,
  input: ResponseInput,
  page: PageResponse,
) {
  const { session, language, refusal, tasks = {} } = input
  const submissionId = reuseSubmissionId(input)
  const t = TRANSLATORS[language]
  const f = getFormats(language, input.timeZone ?? getSessionTimeZone(session, ctx.path))
  const outcomeName = `done.${ctx.query.done}`
  // A page that responds to a failed POST has the address of its own GET.
  const path = page.selfPath ?? ctx.path
  const filterCount = Object.entries(ctx.query).filter(
    ([name, value]) => value !== '' && name !== 'page' && !RESERVED_QUERY_NAMES.includes(name),
  ).length
  const link = (change: Record<string, string | undefined>) => withQuery(path, { ...ctx.query, ...change })
  return {
    t,
    fieldMessage: (message: FieldMessage) => translateFieldMessage(language, message),
    f,
    cause: (code: string | null) => describeCause(language, code),
    shareBar: (share: number) => renderShareBar(share, f.percent(share)),
    icon: renderIcon,
    invalid: (name: string, help?: string) => renderInvalid(refusal, name, help),
    language,
    languages: LANGUAGES,
    theme: readTheme(context, ctx),
    themes: THEMES,
    path,
    query: ctx.query,
    isFiltered: filterCount > 0,
    filterCount,
    link,
    /** URL of the page's list as a file, with the filters of the page. */
    fileOf: (path: string, change: UrlQuery = {}) =>
      withQuery(path, { ...ctx.query, ...NO_FILTERS, ...change }),
    /** URL that the page polls for changes. */
    live: link({ seen: page.etag, draft: undefined }),
    session,
    csrf: session?.csrf,
    typed: input.typed ?? {},
    isRestored: input.isRestored ?? false,
    /** Submission id: a form submitted twice takes effect once. */
    once: submissionId ?? randomUUID(),
    shownPauses: input.pauses ?? [],
    isReading: !!session && readsOpenedAccount(session, path),
    /** Whether the user may use what needs a permission: hides links and forms that would be refused. */
    may: (permission: AccountPermission) => !!session && hasPermission(session, permission),
    navigation: session ? buildNavigation(session, path, tasks) : [],
    assets: context.assets,
    htmxConfig: HTMX_CONFIG,
    done: ctx.method === 'GET' && t.has(outcomeName) ? t(outcomeName) : null,
    refusal: refusal && {
      code: refusal.code,
      errors: refusal.details.errors ?? {},
      text: t.has(`refusal.${refusal.code}`)
        ? t(`refusal.${refusal.code}`, {
            now: refusal.details.currentStateText ?? '',
            roles: refusal.details.allowedRolesText ?? '',
            wait: f.span(refusal.details.retryAfterS ?? 0),
          })
        : isListedCause(refusal.code)
          ? describeCause(language, refusal.code).text
          : refusal.message,
      /** The operation may have been accepted: the page polls, and its form does not invite a second submission. */
      isOpen: submissionId !== null && refusal.status >= 500,
    },
    requestId: ctx.state.requestId,
    ...createWorkflowLinks(context.config.temporal),
  }
}

/** Returns the time zone of a page: the account's on its own pages, for an operator too, and Brasília's on those of operators. */
export function getSessionTimeZone(session: DashboardSession | null | undefined, path: string): string {
  const isAccountPage = session && (session.user.role !== 'operator' || readsOpenedAccount(session, path))
  return (isAccountPage && session.account?.timeZone) || DEFAULT_TIME_ZONE
}

/** Attributes that tie a field to its message in the summary of errors, and move the focus to it. */
function renderInvalid(refusal: ApiError | undefined, name: string, help?: string): Markup {
  const isWrong = Object.hasOwn(refusal?.details.errors ?? {}, name)
  const describedBy = [help, isWrong && `wrong-${name}`].filter(Boolean).join(' ')
  return html`${describedBy && html` aria-describedby="${describedBy}"`}${isWrong && html` aria-invalid="true" autofocus`}`
}

/**
 * Returns the submission id to reuse after a failed form, unless the failure is final for the id, and in a form that its user
 * sends again after signing in: an operation whose outcome is still open must not be started a second time under another id.
 */
function reuseSubmissionId({ refusal, typed, isRestored }: ResponseInput): string | null {
  const isOpen = refusal ? !refusal.details.isFinalForKey : isRestored
  return isOpen ? (uuidSchema.safeParse(typed?.once).data ?? null) : null
}

/** Creates links to workflows and to their list in the Temporal UI; null where no UI is configured. */
function createWorkflowLinks({ uiUrl, namespace }: DashboardContext['config']['temporal']) {
  return {
    workflow: (id: string) => (uiUrl ? buildWorkflowUrl({ uiUrl, namespace }, id) : null),
    workflowsUrl: uiUrl ? buildAccountWorkflowsUrl({ uiUrl, namespace }) : null,
  }
}

/** Query parameters that a file of a list does not take from its page. */
const NO_FILTERS = {
  page: undefined,
  seen: undefined,
  done: undefined,
  lang: undefined,
  draft: undefined,
  sort: undefined,
}

type UrlQuery = Record<string, string | string[] | undefined>

/** Appends a query to a path, without empty values. */
export function withQuery(path: string, query: UrlQuery): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, [value].flat().join(','))
  return search.size === 0 ? path : `${path}?${search}`
}
