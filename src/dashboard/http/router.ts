import type { RouterContext } from '@koa/router'
import type { ApiDependencies } from '../../api/app.ts'
import { fail } from '../../api/http/api-error.ts'
import { readMultipartForm } from '../../api/http/multipart.ts'
import type { ApiRouter } from '../../api/http/route.ts'
import { setArrivalTimeout } from '../../api/http/server.ts'
import { PAGE_RESERVE_MS, UPLOAD_TIMEOUT_MS } from '../../api/limits.ts'
import type { CallerToken } from '../../api/middleware/authenticate.ts'
import { toLoggedApiError } from '../../api/middleware/error-handler.ts'
import { getRequestDeadline } from '../../api/middleware/request-deadline.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { UserRole } from '../../db/entities/user.ts'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import { type DashboardSession, findSession } from '../authentication/session.ts'
import type { Language } from '../i18n/translator.ts'
import { type Asset, loadAssets } from './assets.ts'
import { cookieName, PAGE_HEADERS } from './browser-security.ts'
import { readUrlEncodedForm, requireCsrfToken, requireSameOrigin } from './form.ts'
import { handleLanguageSwitch, readRequestLanguage } from './language.ts'
import { type DashboardResponse, redirectToOwnPage, sendResponse } from './page.ts'
import { createViewRenderer, type ViewRenderer } from './view-renderer.ts'

/** What a page knows of the one who looks at it. */
export type PageContext<Role extends Audience = Audience> = {
  em: EntityManager
  session: DashboardSession
  /** As what the API's functions know a merchant: one of its account, bound to no provider. Operators have none. */
  token: Role extends 'merchant' ? CallerToken : Role extends 'operator' ? null : CallerToken | null
  language: Language
  params: Record<string, string>
  query: Record<string, string>
  /** Empty on GET. */
  form: URLSearchParams
  /** What a form with files brought, nested as its names say. */
  upload: Record<string, unknown>
  requestId: string
}

/** Whose a page is. */
export type Audience = UserRole | 'any'

type PageHandler<Role extends Audience> = (visit: PageContext<Role>) => Promise<DashboardResponse>
/** What a POST does; where it is refused, `again` shows the page that asked, with the refusal above it. */
type FormAction<Role extends Audience> = {
  handle: PageHandler<Role>
  renderForm?: PageHandler<Role>
  /** Its form brings files; here is refused, before it is read, what need not come. */
  beforeBody?(visit: PageContext<Role>): Promise<unknown>
}

export type DashboardRouter = ReturnType<typeof createDashboardRouter>
export type DashboardContext = ApiDependencies & {
  router: ApiRouter
  workflowClientContext: WorkflowClientContext
  views: ViewRenderer
  assets: Asset[]
  /** Whether browsers come through https. */
  isSecure: boolean
}

export const SESSION_COOKIE = 'trilho_session'
export const SIGN_IN_PATH = '/dashboard/sign-in'

/** What the dashboard's pages share; built once per process. */
export function createDashboardContext(router: ApiRouter, dependencies: ApiDependencies): DashboardContext {
  const { config, temporal } = dependencies
  return {
    ...dependencies,
    router,
    workflowClientContext: {
      client: temporal,
      taskQueue: config.temporal.taskQueue,
      timeScale: config.timeScale,
    },
    views: createViewRenderer(),
    assets: loadAssets(),
    isSecure: config.publicUrl.startsWith('https:'),
  }
}

/** The way to every page: who is not signed in goes to sign in, who has the wrong role finds nothing. */
export function createDashboardRouter(house: DashboardContext) {
  return {
    house,
    get<Role extends Audience>(role: Role, path: string, page: PageHandler<Role>): void {
      house.router.koa.get(path, ctx => servePage(house, ctx, { role, handle: page } as PageRoute))
    },
    /** Who looks at what only takes a form is led to the page of the form. */
    post<Role extends Audience>(role: Role, path: string, act: FormAction<Role>): void {
      house.router.koa.post(path, ctx => servePage(house, ctx, { role, ...act } as PageRoute))
      const look: PageHandler<Role> = async visit => redirectToOwnPage(await act.renderForm?.(visit))
      house.router.koa.get(path, ctx => servePage(house, ctx, { role, handle: look } as PageRoute))
    },
  }
}

type PageRoute = FormAction<Audience> & { role: Audience }

async function servePage(house: DashboardContext, ctx: RouterContext, serving: PageRoute): Promise<void> {
  const { role, handle: act, renderForm: again } = serving
  ctx.set(PAGE_HEADERS)
  if (handleLanguageSwitch(house, ctx)) return
  const language = readRequestLanguage(house, ctx)
  await using ends = new AsyncDisposableStack()
  const deadline = getRequestDeadline()
  let visit: PageContext | undefined
  const show = async () => {
    const signedIn = await authenticateSession(house, ctx)
    if (!signedIn) return null
    if (role !== 'any' && signedIn.user.role !== role) fail('not_found') // Before `again` may show its page.
    visit = createPageContext(house, ctx, signedIn)
    if (ctx.method === 'POST') await readSubmittedForm(house, ctx, { visit, serving, ends })
    return { response: await act(visit), session: signedIn, language }
  }
  try {
    const answer = await deadline.awaitResponse(show(), PAGE_RESERVE_MS)
    if (!answer) return redirectToSignIn(ctx)
    sendResponse(house, ctx, answer)
  } catch (error) {
    const refusal = toLoggedApiError(ctx, error, house.log)
    const signedIn = visit?.session
    const isOfThisPage = again && visit && !ERRORS_WITHOUT_FORM_PAGE.includes(refusal.code)
    const shown = isOfThisPage
      ? await deadline.awaitStep(again(visit!), PAGE_RESERVE_MS).catch(() => undefined)
      : undefined
    sendResponse(house, ctx, {
      response: shown,
      session: signedIn,
      language,
      refusal,
      submissionId: visit?.form.get('once'),
    })
  }
}

/** Of this nothing is known of the page that asked. */
const ERRORS_WITHOUT_FORM_PAGE: ErrorCode[] = ['form_expired']

type SubmittedFormInput = { visit: PageContext; serving: PageRoute; ends: AsyncDisposableStack }

/** Reads what a POST brings; nothing is done that no form of this session asks for. */
async function readSubmittedForm(
  house: DashboardContext,
  ctx: RouterContext,
  { visit, serving, ends }: SubmittedFormInput,
): Promise<void> {
  const { csrf } = visit.session
  if (!serving.beforeBody) {
    visit.form = await readUrlEncodedForm(ctx.req)
    return requireCsrfToken(ctx.req, visit.form.get('_csrf'), csrf)
  }
  requireSameOrigin(ctx.req)
  setArrivalTimeout(ctx.req, UPLOAD_TIMEOUT_MS)
  const deadline = getRequestDeadline()
  ends.defer(await deadline.pauseWhile(house.router.formSemaphore.acquire(visit.session.account?.uuid ?? '')))
  await serving.beforeBody(visit)
  const form = await deadline.pauseWhile(readMultipartForm(ctx.req))
  ends.defer(form.discard)
  const { _csrf, ...fields } = form.value
  requireCsrfToken(ctx.req, typeof _csrf === 'string' ? _csrf : null, csrf)
  visit.upload = fields // Before it may be refused, so that what was typed is shown again.
  if (Object.keys(form.errors).length > 0) fail('validation_failed', { errors: form.errors })
}

function createPageContext(
  house: DashboardContext,
  ctx: RouterContext,
  signedIn: DashboardSession,
): PageContext {
  const query = Object.entries(ctx.query).map(([name, value]) => [name, [value].flat().join(',')])
  return {
    em: house.orm.em.fork(),
    session: signedIn,
    token: toSessionToken(signedIn) as never,
    language: readRequestLanguage(house, ctx),
    params: ctx.params,
    query: Object.fromEntries(query),
    form: new URLSearchParams(),
    upload: {},
    requestId: ctx.state.requestId,
  }
}

/** A person's session stands where a program has its token; where the mode matters the page says which (pages/mode.ts). */
function toSessionToken({ account, user }: DashboardSession): CallerToken | null {
  return account && { uuid: user.uuid, accountUuid: account.uuid, connectionUuid: null, mode: 'live' }
}

export async function authenticateSession(
  house: DashboardContext,
  ctx: RouterContext,
): Promise<DashboardSession | null> {
  const secret = ctx.cookies.get(cookieName(SESSION_COOKIE, house))
  if (!secret) return null
  return findSession(house.orm.em.fork(), secret, { isUserActive: isUserActive(ctx) })
}

/** A page looks for news by itself; it says so where somebody has typed on it since it last did. */
function isUserActive(ctx: RouterContext): boolean {
  return ctx.get('HX-Request') !== 'true' || ctx.get('X-Trilho-Typed') === 'true'
}

/** A page that looks for news by itself is told to leave; a person is brought back after signing in. */
function redirectToSignIn(ctx: RouterContext): void {
  if (ctx.get('HX-Request') === 'true') {
    ctx.status = 401
    ctx.set('HX-Redirect', SIGN_IN_PATH)
    ctx.body = ''
    return
  }
  const next = ctx.method === 'GET' ? `?next=${encodeURIComponent(ctx.url)}` : ''
  ctx.status = 303
  ctx.redirect(`${SIGN_IN_PATH}${next}`)
}
