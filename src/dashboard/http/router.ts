import type { RouterContext } from '@koa/router'
import { countAccountTasks } from '../../db/repositories/account-tasks.ts'
import {
  type DashboardSession,
  findEndedSession,
  findValidSession,
} from '../../db/repositories/dashboard-sessions.ts'
import { findShownPauses, type ShownPause } from '../../db/repositories/pauses.ts'
import { ApiError, fail } from '../../http/api-error.ts'
import { toLoggedApiError } from '../../http/error-handler.ts'
import { PAGE_RESERVE_MS } from '../../http/limits.ts'
import { readMultipartForm } from '../../http/multipart.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { sha256 } from '../../security/sealing.ts'
import { type AudienceOf, type PagePermission, requirePageAccess } from '../authorization/page-permission.ts'
import { cookieName, PAGE_HEADERS, SESSION_COOKIE } from './browser-security.ts'
import { type Confirmation, createConfirmationPage } from './confirmation.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { forkForForm, readUrlEncodedForm, requireCsrfToken, requireSameOrigin } from './form.ts'
import { dropFormDraft, keepFormDraft, restoreFormDraft } from './form-draft.ts'
import { handleLanguageSwitch, readRequestLanguage } from './language.ts'
import { handleListSizeSwitch } from './list-size.ts'
import { type DashboardResponse, redirect, sendResponse, withQuery } from './page.ts'
import { type Audience, createPageContext, type PageContext } from './page-context.ts'
import { listFactChanges, type ShownFact } from './shown-facts.ts'
import { handleThemeSwitch } from './theme.ts'

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

export const SIGN_IN_PATH = '/dashboard/sign-in'

/** A route with the permission that it declares. */
export type DeclaredRoute = { method: 'GET' | 'POST'; path: string; permission: PagePermission }

/**
 * Creates the router of all pages. Every route declares the permission that it needs. Unauthenticated users go to
 * sign-in; a user whose role lacks the permission gets 403, and 404 where the page is not for this kind of user.
 */
export function createDashboardRouter(context: DashboardContext, readOperatorTasks: TaskReader) {
  const routes: DeclaredRoute[] = []
  const serve = (method: DeclaredRoute['method'], path: string, route: PageRoute) => {
    routes.push({ method, path, permission: route.permission })
    context.router.koa[method === 'GET' ? 'get' : 'post'](path, ctx =>
      servePage(context, ctx, { ...route, readOperatorTasks }),
    )
  }
  return {
    dashboard: context,
    /** Every route with its permission, in the order of registration. */
    routes,
    get<P extends PagePermission>(permission: P, path: string, page: PageHandler<AudienceOf<P>>): void {
      serve('GET', path, { permission, handle: page } as PageRoute)
    },
    /** A GET on a form's address that is no page redirects to the page of the form. */
    post<P extends PagePermission>(permission: P, path: string, action: FormAction<AudienceOf<P>>): void {
      serve('POST', path, { permission, ...action } as PageRoute)
      if (routes.some(one => one.method === 'GET' && one.path === path)) return
      const showForm: PageHandler<AudienceOf<P>> = async visit => {
        const page = await action.renderForm?.(visit)
        // With what was typed in it before the session ended.
        if (visit.isRestored && page) return page
        return redirect((page?.kind === 'page' && page.selfPath) || '/dashboard')
      }
      serve('GET', path, { permission, handle: showForm } as PageRoute)
    },
  }
}

type PageRoute = FormAction<Audience> & { permission: PagePermission }

/** Reads how much waits behind entries of the operators' menu, by their names. */
export type TaskReader = () => Promise<Record<string, number>>

/** The user signs in first, and then goes to `next`. */
type SignInNeeded = { kind: 'sign_in'; next: string | null }

/** What a query of any page may ask for, before the page is rendered. */
const PREFERENCE_SWITCHES = [handleLanguageSwitch, handleListSizeSwitch, handleThemeSwitch]

async function servePage(
  context: DashboardContext,
  ctx: RouterContext,
  { readOperatorTasks, ...route }: PageRoute & { readOperatorTasks: TaskReader },
): Promise<void> {
  ctx.set(PAGE_HEADERS)
  if (PREFERENCE_SWITCHES.some(handle => handle(context, ctx))) return
  const language = readRequestLanguage(context, ctx)
  await using cleanup = new AsyncDisposableStack()
  const deadline = getRequestDeadline()
  let session: DashboardSession | null = null
  let visit: PageContext | undefined
  let waiting: WaitingFacts = NOTHING_WAITS
  const respond = async (): Promise<DashboardResponse | SignInNeeded> => {
    session = await authenticateSession(context, ctx)
    if (!session) {
      const isForm = ctx.method === 'POST'
      const next = isForm ? await keepFormOfEndedSession(context, ctx, { route, cleanup }) : ctx.url
      return { kind: 'sign_in', next }
    }
    ctx.state.isSignedIn = true
    // Before `renderForm` may show the page of another role.
    requirePageAccess(session, route.permission, { method: ctx.method, language })
    visit = createPageContext(context, ctx, session)
    const response = await (ctx.method === 'POST'
      ? submitForm(context, ctx, { visit, route, cleanup })
      : showPage(context, ctx, { visit, route }))
    // A refresh replaces a part of the page, without the menu.
    if (response.kind === 'page' && !isScriptRequest(ctx))
      waiting = await readWaitingFacts(visit, readOperatorTasks)
    return response
  }
  const send = (response: DashboardResponse | undefined, refusal?: ApiError) => {
    const typed = { ...Object.fromEntries(visit?.form ?? []), ...visit?.upload }
    const isRestored = visit?.isRestored ?? false
    sendResponse(context, ctx, { response, session, language, refusal, typed, isRestored, ...waiting })
  }
  try {
    const response = await deadline.awaitResponse(respond(), PAGE_RESERVE_MS)
    if (response.kind === 'sign_in') redirectToSignIn(ctx, response.next)
    else send(response)
  } catch (error) {
    const refusal = toLoggedApiError(ctx, error, context.log)
    // Where the form has expired, its page is not known to be this user's.
    const form = visit && refusal.code !== 'form_expired' ? route.renderForm?.(visit) : undefined
    const page = form && (await deadline.awaitStep(form, PAGE_RESERVE_MS).catch(() => undefined))
    if (page && visit && !isScriptRequest(ctx))
      waiting = await deadline
        .awaitStep(readWaitingFacts(visit, readOperatorTasks), PAGE_RESERVE_MS)
        .catch(() => waiting)
    // A redirect would lose the refusal: the form could not be read, so that its page is not known.
    send(page?.kind === 'redirect' ? undefined : page, refusal)
  }
}

type PageVisit = { visit: PageContext; route: PageRoute }

function showPage(context: DashboardContext, ctx: RouterContext, { visit, route }: PageVisit) {
  // A form of filters sends its empty fields too: the address of the list has only those in use.
  if (Object.values(ctx.query).includes('')) return Promise.resolve(redirect(withQuery(ctx.path, ctx.query)))
  visit.isRestored = ctx.query.draft === '1' && restoreFormDraft(context, ctx, visit)
  return route.handle(visit)
}

type FormSubmission = PageVisit & { cleanup: AsyncDisposableStack }

/** Carries a form out, or asks for its confirmation. Its transactions are committed within the deadline of the request. */
async function submitForm(
  context: DashboardContext,
  ctx: RouterContext,
  submission: FormSubmission,
): Promise<DashboardResponse> {
  const { visit, route } = submission
  const draftAddress = await readSubmittedForm(context, ctx, submission)
  if (draftAddress !== null) return redirect(draftAddress)
  await requireUnchangedFacts(route, visit)
  const confirmation = route.confirm && (await readConfirmation(route.confirm, visit))
  const question = confirmation && createConfirmationPage(visit, confirmation)
  if (question) return question
  getRequestDeadline().markHandled()
  const { em } = visit
  visit.em = forkForForm(em)
  try {
    const response = await route.handle(visit)
    if (response.kind === 'redirect') dropFormDraft(context, ctx)
    return response
  } finally {
    visit.em = em
  }
}

/**
 * Reads what a form is about to do. After a refusal it is read once more: where the same form was sent twice, the first may
 * have been carried out between two reads of the second, which refused what is in fact a repetition.
 */
async function readConfirmation<V>(confirm: (visit: V) => Promise<Confirmation | null>, visit: V) {
  try {
    return await confirm(visit)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return await confirm(visit)
  }
}

/** Keeps what was typed in a form whose session has ended. Where that fails, the user only signs in. */
async function keepFormOfEndedSession(
  context: DashboardContext,
  ctx: RouterContext,
  { route, cleanup }: Omit<FormSubmission, 'visit'>,
): Promise<string | null> {
  const secret = ctx.cookies.get(cookieName(SESSION_COOKIE, context))
  if (!secret || isScriptRequest(ctx)) return null
  try {
    const ended = await findEndedSession(context.orm.em.fork(), sha256(secret))
    if (!ended) return null
    const { userUuid, accountUuid } = ended
    // The files are read and deleted: the page asks for them again.
    const fields = route.beforeBody
      ? Object.entries((await readUpload(context, ctx, { accountUuid, cleanup })).value)
      : [...(await readUrlEncodedForm(ctx))]
    return await keepFormDraft(context, ctx, { userUuid, fields })
  } catch (error) {
    toLoggedApiError(ctx, error, context.log)
    return null
  }
}

/** Fails with 409 and what changed, where the object is no longer as the page of the form showed it. */
async function requireUnchangedFacts(route: PageRoute, visit: PageContext): Promise<void> {
  const version = visit.form.get('version') ?? visit.upload.version
  // The step of confirmation compares its own facts.
  if (!route.listFacts || typeof version !== 'string' || visit.form.has('confirmed')) return
  const { language, t } = visit
  const facts = await route.listFacts(visit)
  const changes = (facts && listFactChanges(version, language, facts)) ?? []
  if (changes.length === 0) return
  const texts = changes.map(({ name, before, value }) => `${t(name)}: ${before} → ${value}`)
  fail('act_stale', { currentStateText: texts.join('; ') })
}

/** What every page of a user shows: how much waits behind entries of the menu, and the pauses of operators. */
type WaitingFacts = { tasks: Record<string, number>; pauses: ShownPause[] }
const NOTHING_WAITS: WaitingFacts = { tasks: {}, pauses: [] }

/** Reads what every page of a user shows. A page without it is better than none. */
async function readWaitingFacts(
  { em, session: { user, account } }: PageContext,
  readOperatorTasks: TaskReader,
): Promise<WaitingFacts> {
  const isOperator = user.role === 'operator'
  const pausedAccount = isOperator ? null : (account?.uuid ?? null)
  const none = { disputes: 0, unmatched: 0, approvals: 0 }
  const [pauses, counts, operatorTasks] = await Promise.all([
    findShownPauses(em.fork(), pausedAccount).catch(() => []),
    account ? countAccountTasks(em.fork(), account.uuid, user.email).catch(() => none) : none,
    isOperator ? readOperatorTasks().catch(() => ({})) : {},
  ])
  const accountTasks = { disputes: counts.disputes, held: counts.unmatched, approvals: counts.approvals }
  return { tasks: { ...accountTasks, ...operatorTasks }, pauses }
}

/**
 * Reads a submitted form; fails unless it carries the CSRF token of a session of the user. Returns the address with what was
 * typed where that is an earlier session: the user has signed in again since the page was made.
 */
async function readSubmittedForm(
  context: DashboardContext,
  ctx: RouterContext,
  submission: FormSubmission,
): Promise<string | null> {
  const { visit } = submission
  try {
    await readFormOfSession(context, ctx, submission)
    return null
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'form_expired' || isScriptRequest(ctx)) throw error
    const fields = [...visit.form, ...Object.entries(visit.upload)]
    const draftAddress = await keepFormDraft(context, ctx, { userUuid: visit.session.user.uuid, fields })
    if (draftAddress === null) throw error
    return draftAddress
  }
}

/** Reads a submitted form; fails unless it carries the session's CSRF token. */
async function readFormOfSession(
  context: DashboardContext,
  ctx: RouterContext,
  { visit, route: { beforeBody }, cleanup }: FormSubmission,
): Promise<void> {
  const { csrf, account } = visit.session
  if (!beforeBody) {
    visit.form = await readUrlEncodedForm(ctx)
    return requireCsrfToken(ctx.req, visit.form.get('_csrf'), csrf)
  }
  requireSameOrigin(ctx.req)
  const form = await readUpload(context, ctx, {
    accountUuid: account?.uuid ?? null,
    cleanup,
    beforeBody: () => beforeBody(visit),
  })
  visit.upload = form.value // Before the request may fail, so that the page shows the typed values again.
  const { _csrf, ...fields } = form.value
  requireCsrfToken(ctx.req, typeof _csrf === 'string' ? _csrf : null, csrf)
  visit.upload = fields
  if (Object.keys(form.errors).length > 0) fail('validation_failed', { errors: form.errors })
}

type UploadInput = {
  accountUuid: string | null
  cleanup: AsyncDisposableStack
  beforeBody?: () => Promise<unknown>
}

/** Reads a form with files, in turn with the others of the account. */
function readUpload(
  { router: { formSemaphore } }: DashboardContext,
  ctx: RouterContext,
  { accountUuid, cleanup, beforeBody = async () => {} }: UploadInput,
) {
  return readMultipartForm(ctx, {
    cleanup,
    formSemaphore,
    accountUuid: accountUuid ?? undefined,
    beforeBody,
  })
}

/** Returns whether a script of a page requests its part of it, and no user sends a form or opens a page. */
function isScriptRequest(ctx: RouterContext): boolean {
  return ctx.get('HX-Request') === 'true'
}

/** Finds the valid session of the cookie's secret, whose hash is stored. User activity extends it. */
export async function authenticateSession(context: DashboardContext, ctx: RouterContext) {
  const secret = ctx.cookies.get(cookieName(SESSION_COOKIE, context))
  if (!secret) return null
  // A polling page extends the session only if it reports that the user has typed since its last poll.
  const isUserActive = !isScriptRequest(ctx) || ctx.get('X-Trilho-Typed') === 'true'
  return findValidSession(context.orm.em.fork(), sha256(secret), { isUserActive })
}

/** Redirects to sign-in, a polling page by a header; a user returns to `next` after signing in. */
function redirectToSignIn(ctx: RouterContext, next: string | null): void {
  if (isScriptRequest(ctx)) {
    ctx.status = 401
    ctx.set('HX-Redirect', SIGN_IN_PATH)
    ctx.body = ''
    return
  }
  ctx.status = 303
  ctx.redirect(withQuery(SIGN_IN_PATH, { next: next ?? undefined }))
}
