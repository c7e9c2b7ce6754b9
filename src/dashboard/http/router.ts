import type { RouterContext } from '@koa/router'
import type { EntityManager } from '../../db/client/orm.ts'
import { countAccountTasks } from '../../db/repositories/account-tasks.ts'
import { type DashboardSession, findValidSession } from '../../db/repositories/dashboard-sessions.ts'
import { ApiError, fail } from '../../http/api-error.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { PAGE_RESERVE_MS } from '../../http/limits.ts'
import { readMultipartForm } from '../../http/multipart.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { sha256 } from '../../security/sealing.ts'
import { type AudienceOf, decidePageAccess, type PagePermission } from '../authorization/page-permission.ts'
import { type Language, TRANSLATORS } from '../i18n/translator.ts'
import { getFormats } from '../views/formats.ts'
import { cookieName, PAGE_HEADERS } from './browser-security.ts'
import { type Confirmation, createConfirmationPage } from './confirmation.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { readUrlEncodedForm, requireCsrfToken, requireSameOrigin } from './form.ts'
import { dropFormDraft, keepFormDraft, keepFormOfEarlierSession, restoreFormDraft } from './form-draft.ts'
import { forkForForm } from './form-transactions.ts'
import { handleLanguageSwitch, readRequestLanguage } from './language.ts'
import { type DashboardResponse, redirect, redirectToOwnPage, sendResponse } from './page.ts'
import { type Audience, createPageContext, type PageContext } from './page-context.ts'
import { listFactChanges, type ShownFact } from './shown-facts.ts'

type PageHandler<For extends Audience> = (visit: PageContext<For>) => Promise<DashboardResponse>
/** Handler of a POST; after a failure `renderForm` shows the page of the form, with the error above it. */
type FormAction<For extends Audience> = {
  handle: PageHandler<For>
  renderForm?: PageHandler<For>
  /**
   * Names what the form is about to do, for an action that moves money or cannot be undone: the form is carried out
   * once the user has confirmed exactly that. Null where this form was carried out already, and is only repeated.
   */
  confirm?(visit: PageContext<For>): Promise<Confirmation | null>
  /**
   * Lists what the page of the form shows of the object that it changes. Where that has changed since the form was made
   * (its field `version`, `encodeFacts`), the form is not carried out, and its page names each change.
   */
  listFacts?(visit: PageContext<For>): Promise<ShownFact[] | null>
  /** Set where the form has files; rejects, before they are read, uploads that are not needed. */
  beforeBody?(visit: PageContext<For>): Promise<unknown>
}

export type DashboardRouter = ReturnType<typeof createDashboardRouter>

export const SESSION_COOKIE = 'trilho_session'
export const SIGN_IN_PATH = '/dashboard/sign-in'

/** A route with the permission that it declares. */
export type DeclaredRoute = { method: 'GET' | 'POST'; path: string; permission: PagePermission }

/**
 * Creates the router of all pages. Every route declares the permission that it needs. Unauthenticated users go to
 * sign-in; a user whose role lacks the permission gets 403, and 404 where the page is not for this kind of user.
 */
export function createDashboardRouter(context: DashboardContext) {
  const declared: DeclaredRoute[] = []
  const serve = (method: DeclaredRoute['method'], path: string, route: PageRoute) => {
    declared.push({ method, path, permission: route.permission })
    context.router.koa[method === 'GET' ? 'get' : 'post'](path, ctx => servePage(context, ctx, route))
  }
  return {
    dashboard: context,
    /** Every route with its permission, in the order of registration. */
    declared,
    get<P extends PagePermission>(permission: P, path: string, page: PageHandler<AudienceOf<P>>): void {
      serve('GET', path, { permission, handle: page } as PageRoute)
    },
    /** A GET on a form's address that is no page redirects to the page of the form. */
    post<P extends PagePermission>(permission: P, path: string, action: FormAction<AudienceOf<P>>): void {
      serve('POST', path, { permission, ...action } as PageRoute)
      if (declared.some(one => one.method === 'GET' && one.path === path)) return
      const showForm: PageHandler<AudienceOf<P>> = async visit =>
        showRestoredForm(visit, await action.renderForm?.(visit))
      serve('GET', path, { permission, handle: showForm } as PageRoute)
    },
  }
}

type PageRoute = FormAction<Audience> & { permission: PagePermission }

async function servePage(context: DashboardContext, ctx: RouterContext, route: PageRoute): Promise<void> {
  const { permission, renderForm } = route
  ctx.set(PAGE_HEADERS)
  if (handleLanguageSwitch(context, ctx)) return
  const language = readRequestLanguage(context, ctx)
  await using cleanup = new AsyncDisposableStack()
  const deadline = getRequestDeadline()
  let session: DashboardSession | null = null
  let visit: PageContext | undefined
  let tasks: Record<string, number> = {}
  let draftAddress: string | null = null
  const respond = async () => {
    session = await authenticateSession(context, ctx)
    if (!session) {
      if (ctx.method === 'POST') draftAddress = await keepDraftOfForm(context, ctx, { route, cleanup })
      return null
    }
    ctx.state.isSignedIn = true
    // Before `renderForm` may show the page of another role.
    requireAccess(decidePageAccess(session, permission, ctx.method), language)
    visit = createPageContext(context, ctx, session)
    if (ctx.method === 'POST') {
      const sent = await readSubmittedForm(context, ctx, { visit, serving: route, ends: cleanup })
      if (sent.kind === 'of_earlier_session') return redirect(sent.draftAddress)
    } else if (ctx.query.draft === '1') visit.isRestored = await restoreFormDraft(context, visit, ctx.path)
    if (ctx.method === 'POST') await requireUnchangedFacts(route, visit)
    const question = ctx.method === 'POST' && (await route.confirm?.(visit))
    const confirmation = question ? createConfirmationPage(visit, question) : null
    const response = confirmation ?? (await handlePage(route, visit, ctx.method))
    if (ctx.method === 'POST' && response.kind === 'redirect') await dropFormDraft(visit, ctx.path)
    // A refresh replaces a part of the page, without the menu.
    if (response.kind === 'page' && session.account && ctx.get('HX-Request') !== 'true')
      tasks = await countMenuTasks(visit.em, session.account.uuid)
    return response
  }
  const send = (response: DashboardResponse | undefined, refusal?: ApiError) => {
    const typed = { ...Object.fromEntries(visit?.form ?? []), ...visit?.upload }
    const isRestored = visit?.isRestored ?? false
    sendResponse(context, ctx, { response, session, language, refusal, typed, tasks, isRestored })
  }
  try {
    const response = await deadline.awaitResponse(respond(), PAGE_RESERVE_MS)
    if (!response) return redirectToSignIn(ctx, draftAddress)
    send(response)
  } catch (error) {
    const refusal = toLoggedApiError(ctx, error, context.log)
    // Where the form has expired, its page is not known to be this user's.
    const form = visit && refusal.code !== 'form_expired' ? renderForm?.(visit) : undefined
    const page = form && (await deadline.awaitStep(form, PAGE_RESERVE_MS).catch(() => undefined))
    // A redirect would lose the refusal: the form could not be read, so that its page is not known.
    send(page?.kind === 'redirect' ? undefined : page, refusal)
  }
}

/** Renders a page, or carries a form out, whose transactions are committed within the deadline of the request. */
async function handlePage(
  { handle }: PageRoute,
  visit: PageContext,
  method: string,
): Promise<DashboardResponse> {
  if (method !== 'POST') return handle(visit)
  getRequestDeadline().markHandled()
  const { em } = visit
  visit.em = forkForForm(em)
  try {
    return await handle(visit)
  } finally {
    visit.em = em
  }
}

type DraftOfForm = { route: PageRoute; cleanup: AsyncDisposableStack }

/** Stores what was typed in a form whose session has ended. Where that fails, the user only signs in. */
async function keepDraftOfForm(
  context: DashboardContext,
  ctx: RouterContext,
  { route, cleanup }: DraftOfForm,
) {
  const request = { sessionCookie: SESSION_COOKIE, isMultipart: route.beforeBody !== undefined, cleanup }
  return keepFormDraft(context, ctx, request).catch(error => {
    toLoggedApiError(ctx, error, context.log)
    return null
  })
}

/** Shows the page of a form with what was typed in it before the session ended, or redirects to the page. */
function showRestoredForm(
  { isRestored }: PageContext,
  page: DashboardResponse | undefined,
): DashboardResponse {
  return isRestored && page ? page : redirectToOwnPage(page)
}

/** Fails with 409 and what changed, where the object is no longer as the page of the form showed it. */
async function requireUnchangedFacts(route: PageRoute, visit: PageContext): Promise<void> {
  const version = visit.form.get('version') ?? visit.upload.version
  // The step of confirmation compares its own facts.
  if (!route.listFacts || typeof version !== 'string' || visit.form.has('confirmed')) return
  const { language } = visit
  const facts = await route.listFacts(visit)
  const changes = (facts && listFactChanges(version, language, facts)) ?? []
  if (changes.length === 0) return
  const t = TRANSLATORS[language]
  const texts = changes.map(({ name, before, value }) => `${t(name)}: ${before} → ${value}`)
  fail('act_stale', { currentStateText: texts.join('; ') })
}

/** Fails unless access is allowed: with 403 and the roles that have the permission, or with 404. */
function requireAccess(access: ReturnType<typeof decidePageAccess>, language: Language): void {
  switch (access.kind) {
    case 'allowed':
      return
    case 'absent':
      fail('not_found')
      break
    case 'forbidden': {
      const names = access.allowedRoles.map(role => TRANSLATORS[language](`role.${role}`))
      fail('role_not_allowed', { allowedRolesText: getFormats(language).anyOf(names) })
    }
  }
}

/** Counts what waits behind entries of the menu. A page without the counts is better than none. */
async function countMenuTasks(em: EntityManager, accountUuid: string): Promise<Record<string, number>> {
  const counts = await countAccountTasks(em.fork(), accountUuid).catch(() => ({ disputes: 0, unmatched: 0 }))
  return { disputes: counts.disputes, held: counts.unmatched }
}

type SubmittedFormInput = { visit: PageContext; serving: PageRoute; ends: AsyncDisposableStack }

type SubmittedForm =
  | { kind: 'of_session' }
  /** The user has signed in again since the page was made: what was typed waits at the address. */
  | { kind: 'of_earlier_session'; draftAddress: string }

/** Reads a submitted form; fails unless it carries the CSRF token of a session of the user. */
async function readSubmittedForm(
  context: DashboardContext,
  ctx: RouterContext,
  input: SubmittedFormInput,
): Promise<SubmittedForm> {
  try {
    await readFormOfSession(context, ctx, input)
    return { kind: 'of_session' }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'form_expired') throw error
    const draftAddress = await keepFormOfEarlierSession(context, ctx, input.visit)
    if (draftAddress === null) throw error
    return { kind: 'of_earlier_session', draftAddress }
  }
}

/** Reads a submitted form; fails unless it carries the session's CSRF token. */
async function readFormOfSession(
  context: DashboardContext,
  ctx: RouterContext,
  { visit, serving: route, ends: cleanup }: SubmittedFormInput,
): Promise<void> {
  const { csrf } = visit.session
  if (!route.beforeBody) {
    visit.form = await readUrlEncodedForm(ctx)
    return requireCsrfToken(ctx.req, visit.form.get('_csrf'), csrf)
  }
  requireSameOrigin(ctx.req)
  const { beforeBody } = route
  const form = await readMultipartForm(ctx, {
    cleanup,
    formSemaphore: context.router.formSemaphore,
    accountUuid: visit.session.account?.uuid,
    beforeBody: () => beforeBody(visit),
  })
  visit.upload = form.value // Before the request may fail, so that the page shows the typed values again.
  const { _csrf, ...fields } = form.value
  requireCsrfToken(ctx.req, typeof _csrf === 'string' ? _csrf : null, csrf)
  visit.upload = fields
  if (Object.keys(form.errors).length > 0) fail('validation_failed', { errors: form.errors })
}

/** Finds the valid session of the cookie's secret, whose hash is stored. User activity extends it. */
export async function authenticateSession(context: DashboardContext, ctx: RouterContext) {
  const secret = ctx.cookies.get(cookieName(SESSION_COOKIE, context))
  if (!secret) return null
  // A polling page extends the session only if it reports that the user has typed since its last poll.
  const isUserActive = ctx.get('HX-Request') !== 'true' || ctx.get('X-Trilho-Typed') === 'true'
  return findValidSession(context.orm.em.fork(), sha256(secret), { isUserActive })
}

/** Redirects to sign-in, a polling page by a header; a user returns to the page after signing in. */
function redirectToSignIn(ctx: RouterContext, draftAddress: string | null): void {
  if (ctx.get('HX-Request') === 'true') {
    ctx.status = 401
    ctx.set('HX-Redirect', SIGN_IN_PATH)
    ctx.body = ''
    return
  }
  const address = ctx.method === 'GET' ? ctx.url : draftAddress
  const next = address ? `?next=${encodeURIComponent(address)}` : ''
  ctx.status = 303
  ctx.redirect(`${SIGN_IN_PATH}${next}`)
}
