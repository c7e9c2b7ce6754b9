import type { RouterContext } from '@koa/router'
import type { Dependencies } from '../api/app.ts'
import type { Token } from '../api/auth.ts'
import { requestDeadline } from '../api/deadline.ts'
import { refuse } from '../api/errors.ts'
import { refusalFor } from '../api/failure.ts'
import { PAGE_MS, UPLOAD_MS } from '../api/limits.ts'
import type { ApiRouter } from '../api/route.ts'
import { giveTime } from '../api/server.ts'
import { readForm as readUpload } from '../api/uploads.ts'
import type { UserRole } from '../db/entities/user.ts'
import type { EntityManager } from '../db/orm.ts'
import type { RefusalCode } from '../domain/errors.ts'
import type { Engine } from '../engine/start.ts'
import { type Asset, openAssets } from './assets.ts'
import { readForm, requireOwnForm, requireOwnSite } from './form.ts'
import { languageFor, switchesLanguage } from './language.ts'
import { answerWith, itsPage, type Shown } from './page.ts'
import { cookieName, PAGE_HEADERS } from './policy.ts'
import { type SignedIn, sessionOf } from './sessions.ts'
import { openViews, type Views } from './views.ts'
import type { Language } from './words.ts'

/** What a page knows of the one who looks at it. */
export type Visit<Role extends Looker = Looker> = {
  em: EntityManager
  signedIn: SignedIn
  /** As what the API's functions know a merchant: one of its account, bound to no provider. Operators have none. */
  token: Role extends 'merchant' ? Token : Role extends 'operator' ? null : Token | null
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
export type Looker = UserRole | 'any'

type Page<Role extends Looker> = (visit: Visit<Role>) => Promise<Shown>
/** What a POST does; where it is refused, `again` shows the page that asked, with the refusal above it. */
type Act<Role extends Looker> = {
  act: Page<Role>
  again?: Page<Role>
  /** Its form brings files; here is refused, before it is read, what need not come. */
  mayCome?(visit: Visit<Role>): Promise<unknown>
}

export type Door = ReturnType<typeof openDoor>
export type House = Dependencies & {
  router: ApiRouter
  engine: Engine
  views: Views
  assets: Asset[]
  /** Whether browsers come through https. */
  isSecure: boolean
}

export const SESSION_COOKIE = 'trilho_session'
export const SIGN_IN = '/dashboard/sign-in'

/** What the dashboard's pages share; built once per process. */
export function openHouse(router: ApiRouter, dependencies: Dependencies): House {
  const { config, temporal } = dependencies
  return {
    ...dependencies,
    router,
    engine: { client: temporal, taskQueue: config.temporal.taskQueue, timeScale: config.timeScale },
    views: openViews(),
    assets: openAssets(),
    isSecure: config.publicUrl.startsWith('https:'),
  }
}

/** The way to every page: who is not signed in goes to sign in, who has the wrong role finds nothing. */
export function openDoor(house: House) {
  return {
    house,
    get<Role extends Looker>(role: Role, path: string, page: Page<Role>): void {
      house.router.koa.get(path, ctx => serve(house, ctx, { role, act: page } as Serving))
    },
    /** Who looks at what only takes a form is led to the page of the form. */
    post<Role extends Looker>(role: Role, path: string, act: Act<Role>): void {
      house.router.koa.post(path, ctx => serve(house, ctx, { role, ...act } as Serving))
      const look: Page<Role> = async visit => itsPage(await act.again?.(visit))
      house.router.koa.get(path, ctx => serve(house, ctx, { role, act: look } as Serving))
    },
  }
}

type Serving = Act<Looker> & { role: Looker }

async function serve(house: House, ctx: RouterContext, serving: Serving): Promise<void> {
  const { role, act, again } = serving
  ctx.set(PAGE_HEADERS)
  if (switchesLanguage(house, ctx)) return
  const language = languageFor(house, ctx)
  await using ends = new AsyncDisposableStack()
  const deadline = requestDeadline()
  let visit: Visit | undefined
  const show = async () => {
    const signedIn = await whoCalls(house, ctx)
    if (!signedIn) return null
    if (role !== 'any' && signedIn.user.role !== role) refuse('not_found') // Before `again` may show its page.
    visit = visitOf(house, ctx, signedIn)
    if (ctx.method === 'POST') await take(house, ctx, { visit, serving, ends })
    return { shown: await act(visit), signedIn, language }
  }
  try {
    const answer = await deadline.answered(show(), PAGE_MS)
    if (!answer) return toSignIn(ctx)
    answerWith(house, ctx, answer)
  } catch (error) {
    const refusal = refusalFor(ctx, error, house.log)
    const signedIn = visit?.signedIn
    const isOfThisPage = again && visit && !OF_NO_PAGE.includes(refusal.code)
    const shown = isOfThisPage
      ? await deadline.within(again(visit!), PAGE_MS).catch(() => undefined)
      : undefined
    answerWith(house, ctx, { shown, signedIn, language, refusal, once: visit?.form.get('once') })
  }
}

/** Of this nothing is known of the page that asked. */
const OF_NO_PAGE: RefusalCode[] = ['form_expired']

type Taking = { visit: Visit; serving: Serving; ends: AsyncDisposableStack }

/** Reads what a POST brings; nothing is done that no form of this session asks for. */
async function take(house: House, ctx: RouterContext, { visit, serving, ends }: Taking): Promise<void> {
  const { csrf } = visit.signedIn
  if (!serving.mayCome) {
    visit.form = await readForm(ctx.req)
    return requireOwnForm(ctx.req, visit.form.get('_csrf'), csrf)
  }
  requireOwnSite(ctx.req)
  giveTime(ctx.req, UPLOAD_MS)
  const deadline = requestDeadline()
  ends.defer(await deadline.uncounted(house.router.formTurns.take(visit.signedIn.account?.uuid ?? '')))
  await serving.mayCome(visit)
  const form = await deadline.uncounted(readUpload(ctx.req))
  ends.defer(form.discard)
  const { _csrf, ...fields } = form.value
  requireOwnForm(ctx.req, typeof _csrf === 'string' ? _csrf : null, csrf)
  visit.upload = fields // Before it may be refused, so that what was typed is shown again.
  if (Object.keys(form.errors).length > 0) refuse('validation_failed', { errors: form.errors })
}

function visitOf(house: House, ctx: RouterContext, signedIn: SignedIn): Visit {
  const query = Object.entries(ctx.query).map(([name, value]) => [name, [value].flat().join(',')])
  return {
    em: house.orm.em.fork(),
    signedIn,
    token: tokenOf(signedIn) as never,
    language: languageFor(house, ctx),
    params: ctx.params,
    query: Object.fromEntries(query),
    form: new URLSearchParams(),
    upload: {},
    requestId: ctx.state.requestId,
  }
}

/** A person's session stands where a program has its token; where the mode matters the page says which (pages/mode.ts). */
function tokenOf({ account, user }: SignedIn): Token | null {
  return account && { uuid: user.uuid, accountUuid: account.uuid, connectionUuid: null, mode: 'live' }
}

export async function whoCalls(house: House, ctx: RouterContext): Promise<SignedIn | null> {
  const secret = ctx.cookies.get(cookieName(SESSION_COOKIE, house))
  if (!secret) return null
  return sessionOf(house.orm.em.fork(), secret, { isPerson: isPresent(ctx) })
}

/** A page looks for news by itself; it says so where somebody has typed on it since it last did. */
function isPresent(ctx: RouterContext): boolean {
  return ctx.get('HX-Request') !== 'true' || ctx.get('X-Trilho-Typed') === 'true'
}

/** A page that looks for news by itself is told to leave; a person is brought back after signing in. */
function toSignIn(ctx: RouterContext): void {
  if (ctx.get('HX-Request') === 'true') {
    ctx.status = 401
    ctx.set('HX-Redirect', SIGN_IN)
    ctx.body = ''
    return
  }
  const next = ctx.method === 'GET' ? `?next=${encodeURIComponent(ctx.url)}` : ''
  ctx.status = 303
  ctx.redirect(`${SIGN_IN}${next}`)
}
