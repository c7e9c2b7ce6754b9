import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Orm } from '../../db/client/orm.ts'
import type { Semaphore } from '../../domain/shared/semaphore.ts'
import { listAllowingScopes } from '../../domain/tokens/token-scope.ts'
import { ApiError, fail } from '../../http/api-error.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { sha256 } from '../../security/sealing.ts'
import type { AuthenticatedToken, CallerToken } from '../authorization/authenticate.ts'
import type { Admission } from '../operations/admission.ts'
import { type PreparedRoute, parseRequest, prepareRoute } from './parse-request.ts'
import {
  type AnyRoute,
  type ApiResponse,
  hasETag,
  listErrorCodes,
  type ResponseSchemas,
  type Route,
  type RouteMethod,
  type TokenRule,
} from './route-definition.ts'

/**
 * Registers a route on the router. Its definition lists who may call it, its input, its responses and its handler. A file
 * of routes exports a `RouteRegistrar`; `createApp` calls it with the router and the process's dependencies:
 *
 *     export const providerRoutes: RouteRegistrar = router => {
 *       registerRoute(router, 'get', '/api/v1/providers/:uuid', {
 *         operationId: 'getProvider',
 *         scope: 'transfers',
 *         summary: 'Read a provider',
 *         responses: { 200: providerResponse, errors: ['not_found'] },
 *         async handle({ params, token, em }) {
 *           return { body: { data: await readVisibleProvider(em, token, params.uuid) } }
 *         },
 *       })
 *     }
 *
 * Routes match in the order of registration: register `/defaults` before `/:uuid`.
 */
export function registerRoute<
  const Path extends string,
  Answers extends ResponseSchemas,
  Tokens extends TokenRule = 'any',
  Query extends z.ZodType = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType | 'text' = z.ZodUndefined,
  Params extends z.ZodType = z.ZodType<Record<ParamNames<Path>, string>>,
>(
  router: ApiRouter,
  method: RouteMethod,
  path: Path,
  definition: Route<Tokens, Params, Query, Body, Answers>,
): void {
  const route = prepareRoute({ method, path, ...definition } as unknown as AnyRoute)
  router.routes.push(route)
  router.koa.register(path, [method], ctx => serveRequest(router, route, ctx))
}

type ParamNames<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

export type ApiRouter = {
  koa: Router
  /** All registered routes, for OpenAPI. */
  routes: PreparedRoute[]
  orm: Orm
  log: Logger
  /** Limits the forms of one account that are read at once. */
  formSemaphore: Semaphore
  /** Refuses new operations of an overloaded service; where absent, all start. */
  admission: Admission | undefined
  /** Authenticates the caller at its address and counts the request against its rate limit: 401, 403 or 429. */
  authenticateAndCount(ctx: RouterContext): Promise<AuthenticatedToken>
}

async function serveRequest(router: ApiRouter, definition: PreparedRoute, ctx: RouterContext): Promise<void> {
  const { formSemaphore } = router
  await using cleanup = new AsyncDisposableStack()
  try {
    const token = await authenticateCaller(router, definition, ctx)
    const caller = { token: token as never, em: router.orm.em.fork() }
    const request = {
      ...(await parseRequest({ route: definition, ctx, cleanup, formSemaphore }, caller)),
      requestId: ctx.state.requestId,
      headers: ctx.headers,
      admission: router.admission,
    }
    const response = await definition.handle({ ...request, ...caller })
    const { status, mediaType, content } = encodeResponse(definition, response)
    getRequestDeadline().requireRemainingMs(0) // After the deadline the client has already received a 503.
    ctx.status = status
    ctx.set(response.headers ?? {})
    if (!ctx.response.get('Content-Type')) ctx.type = mediaType
    ctx.body = content
    if (hasETag(definition)) revalidate(ctx, content as string | Buffer, definition)
  } catch (error) {
    if (error instanceof ApiError && !listErrorCodes(definition).includes(error.code)) {
      router.log.warn({ code: error.code, route: definition.path }, 'the route does not declare this error')
    }
    throw error
  }
}

async function authenticateCaller(
  router: ApiRouter,
  definition: AnyRoute,
  ctx: RouterContext,
): Promise<CallerToken | null> {
  if (definition.tokens === 'none') return null
  const token = await router.authenticateAndCount(ctx)
  if (definition.tokens === 'global_only') requireGlobalToken(token.caller)
  requireScope(token, definition)
  return token.caller
}

/** Fails with 403 for a token without a scope that allows the route; names the scopes (RFC 6750, 3.1). */
function requireScope({ scopes }: AuthenticatedToken, { method, scope }: AnyRoute): void {
  if (scope === undefined) return
  const allowing = listAllowingScopes({ method, scope })
  if (allowing.some(one => scopes.includes(one))) return
  const challenge = `Bearer realm="trilho", error="insufficient_scope", scope="${allowing.join(' ')}"`
  fail('insufficient_scope', { data: { scopes: allowing }, headers: { 'WWW-Authenticate': challenge } })
}

/** Fails with 403 for a provider-bound token. */
export function requireGlobalToken({ connectionUuid }: CallerToken): void {
  if (connectionUuid !== null) fail('token_bound_to_provider')
}

/**
 * Adds the ETag of a resource, and answers 304 where `If-None-Match` has it. The tag is weak: it names the content, not the
 * bytes, which differ by encoding. Only the caller's own cache may keep the response; it asks before each use, or a day
 * later where the response never changes.
 */
function revalidate(ctx: RouterContext, content: string | Buffer, { isImmutable }: AnyRoute): void {
  const tag = sha256(content).toString('base64url')
  ctx.set('ETag', `W/"${tag}"`)
  ctx.set('Cache-Control', isImmutable ? `private, max-age=${DAY_S}, immutable` : 'private, no-cache')
  ctx.vary('Authorization')
  // Not by `ctx.fresh`, which obeys the request's `no-cache`: that is for caches, and `fetch` adds it to such a request.
  const knownTags = ctx.get('If-None-Match')
  if (knownTags.trim() === '*' || knownTags.includes(`"${tag}"`)) ctx.status = 304
}

const DAY_S = 86_400

function encodeResponse(definition: AnyRoute, response: ApiResponse<ResponseSchemas>) {
  const status = response.status ?? (definition.responses[200] ? 200 : 201)
  const schema = definition.responses[status]
  if (!schema) throw new Error(`${definition.path} answers ${status} without a schema for it`)
  return typeof schema === 'string'
    ? { status, mediaType: schema, content: response.body }
    : { status, mediaType: 'application/json', content: JSON.stringify(z.encode(schema, response.body)) }
}
