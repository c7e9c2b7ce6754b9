import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import type { UserAuthor } from '../../admin/account-users.ts'
import type { CallerToken } from '../../api/authorization/authenticate.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { DashboardSession } from '../../db/repositories/dashboard-sessions.ts'
import { fail } from '../../http/api-error.ts'
import { type Language, TRANSLATORS, type Translator } from '../i18n/translator.ts'
import { type Formats, getFormats } from '../views/formats.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { readRequestLanguage } from './language.ts'
import { readListSize } from './list-size.ts'
import { getSessionTimeZone } from './page.ts'

/** Request context of a page handler. */
export type PageContext<For extends Audience = Audience> = {
  em: EntityManager
  session: DashboardSession
  /** Token by which API functions identify the user's account, bound to no provider. Null for an operator without one. */
  token: For extends 'merchant' ? CallerToken : For extends 'operator' ? null : CallerToken | null
  language: Language
  /** Phrases of the language. */
  t: Translator
  /** IANA time zone of the page's days and times. */
  timeZone: string
  /** Formats of the language, with times by the clocks of the time zone. */
  f: Formats
  /** Rows of a page of a list, as the user prefers. */
  listSize: number
  /** UUIDs of the path; empty where it has none. */
  params: z.output<typeof pathSchema>
  query: Record<string, string>
  /** Form fields; empty on GET. */
  form: URLSearchParams
  /** Fields of a form with files, nested by their names. */
  upload: Record<string, unknown>
  /** Whether `form` has what was typed before the session ended: nothing was sent. */
  isRestored: boolean
  requestId: string
  /** Path and query of the request. */
  url: string
}

const pathSchema = z.object({ uuid: uuidSchema.default(''), delivery: uuidSchema.default('') })

/** User that a page is for: of an account, an operator, or any. */
export type Audience = 'merchant' | 'operator' | 'any'

export function createPageContext(
  context: DashboardContext,
  ctx: RouterContext,
  session: DashboardSession,
): PageContext {
  const query = Object.entries(ctx.query).map(([name, value]) => [name, [value].flat().join(',')])
  const path = pathSchema.safeParse(ctx.params)
  const language = readRequestLanguage(context, ctx)
  const timeZone = getSessionTimeZone(session, ctx.path)
  return {
    em: context.orm.em.fork(),
    session,
    token: toSessionToken(session) as never,
    language,
    t: TRANSLATORS[language],
    timeZone,
    f: getFormats(language, timeZone),
    listSize: readListSize(context, ctx),
    params: path.data ?? fail('not_found'), // SPEC §1
    query: Object.fromEntries(query),
    form: new URLSearchParams(),
    upload: {},
    isRestored: false,
    requestId: ctx.state.requestId,
    url: ctx.url,
  }
}

/** Returns the user of a session as the author of an action. */
export function getUserAuthor({ session: { user, account } }: PageContext): UserAuthor {
  const accountUuid = user.role === 'operator' ? null : (account?.uuid ?? null)
  return { uuid: user.uuid, email: user.email, accountUuid }
}

/** Converts a session to the token that API functions expect; pages that depend on the mode set it (pages/connections.ts). */
function toSessionToken({ account, user }: DashboardSession): CallerToken | null {
  if (!account) return null
  const { uuid, email: author } = user
  return { uuid, author, accountUuid: account.uuid, connectionUuid: null, mode: 'live' }
}
