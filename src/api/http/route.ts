import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { EntityManager, Orm } from '../../db/client/orm.ts'
import type { ErrorCode } from '../../domain/errors/error-catalogue.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'
import { ApiError, fail } from './api-error.ts'
import { type PreparedRoute, parseRequest, prepareRoute } from './parse-request.ts'
import type { Semaphore } from './semaphore.ts'
import type { FieldErrors } from './validate.ts'

/**
 * Registers a route on the router. Its definition lists who may call it, its input, its responses and its handler. A file
 * of routes exports a `RouteRegistrar`; `createApp` calls it with the router and the process's dependencies:
 *
 *     export const providerRoutes: RouteRegistrar = router => {
 *       registerRoute(router, {
 *         method: 'get',
 *         path: '/api/v1/providers/:uuid',
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
>(router: ApiRouter, definition: Route<Path, Tokens, Params, Query, Body, Answers>): void {
  const untypedRoute = definition as unknown as AnyRoute
  router.routes.push(untypedRoute)
  const route = prepareRoute(router, untypedRoute)
  router.koa.register(definition.path, [definition.method], ctx => serveRequest(route, ctx))
}

/** Tokens that a route accepts; `none` is for provider callbacks and public pages. */
export type TokenRule = 'any' | 'global_only' | 'none'

/** Responses by status: a JSON schema, or the media type of a body that is sent unchanged. */
export type ResponseSchemas = {
  200?: z.ZodType | `${string}/${string}`
  201?: z.ZodType | `${string}/${string}`
}

export type Route<Path extends string, Tokens extends TokenRule, Params, Query, Body, Answers> = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: Path
  summary: string
  description?: string
  /** Default: `any`. */
  tokens?: Tokens
  /** Route's own rate limit; runs before the request is parsed, so it counts invalid requests as well. */
  rateLimit?(caller: { token: TokenOf<Tokens>; em: EntityManager }): Promise<void>
  /** Schema of the path parameters; UUIDs where absent. A mismatch is 404. */
  params?: Params
  /** Schema of the query, a strict object: an unknown parameter is 422. */
  query?: Query
  /** Schema of a JSON body, or `text` for the raw text. */
  body?: Body
  /** `multipart`: the schema validates a form. Its files are Uploads, deleted when the request is answered. */
  bodyAs?: 'json' | 'multipart'
  /** The POST creates or moves money: a repeat with its `Idempotency-Key` gets the first response (SPEC §1). */
  isIdempotent?: true
  /** Validates before a body that may be large is read. */
  beforeBody?(
    request: Pick<ApiRequest<Tokens, Params, Query, Body>, 'params' | 'token' | 'em' | 'idempotencyKey'>,
  ): Promise<void>
  /** Null is an error even for an optional field, because leaving it out has a meaning of its own. */
  isNullRejected?: boolean
  /** Collects further errors of a body that its schema has rejected, so that all errors are sent at once. */
  validateSemantics?(request: {
    body: unknown
    token: TokenOf<Tokens>
    em: EntityManager
  }): Promise<FieldErrors>
  /** The success responses, and the errors that only this route has; `listErrorCodes` adds the common ones. */
  responses: Answers & { errors?: readonly ErrorCode[] }
  handle(request: ApiRequest<Tokens, Params, Query, Body>): Promise<ApiResponse<NoInfer<Answers>>>
}

type ApiRequest<Tokens, Params, Query, Body> = {
  params: ParamsOf<Params>
  query: Query extends z.ZodType ? z.output<Query> : never
  body: Body extends z.ZodType ? z.output<Body> : string
  token: TokenOf<Tokens>
  requestId: string
  em: EntityManager
  /** Parsed on POST only; used by routes with `isIdempotent`. */
  idempotencyKey: string | null
  headers: IncomingHttpHeaders
}

type ParamsOf<Params> = Params extends z.ZodType ? z.output<Params> : never
type TokenOf<Tokens> = Tokens extends 'none' ? null : CallerToken

/** Response in domain values; the schema of its status encodes the wire form. */
type ApiResponse<Answers> = {
  /** Default: the route's only success status. */
  status?: 200 | 201
  body: ResponseBodyOf<Answers[keyof Answers & (200 | 201)]>
  headers?: Record<string, string>
}
type ResponseBodyOf<Shape> = Shape extends z.ZodType ? z.output<Shape> : string | Buffer | Readable

type ParamNames<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? ParamNames<Segment> | ParamNames<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** A route with its type parameters erased, for the app and OpenAPI. */
export type AnyRoute = Route<string, TokenRule, z.ZodType, z.ZodType, z.ZodType | 'text', ResponseSchemas>

export type ApiRouter = {
  koa: Router
  /** All registered routes, for OpenAPI. */
  routes: AnyRoute[]
  orm: Orm
  log: Logger
  /** Limits the forms of one account that are read at once. */
  formSemaphore: Semaphore
  /** Authenticates the caller and counts the request against its rate limit: 401 or 429. */
  authenticateAndCount(ctx: RouterContext): Promise<CallerToken>
}

async function serveRequest(route: PreparedRoute, ctx: RouterContext): Promise<void> {
  const { router, shape: definition } = route
  await using cleanup = new AsyncDisposableStack()
  try {
    const token = await authenticateCaller(router, definition, ctx)
    const caller = { token: token as never, em: router.orm.em.fork() }
    await definition.rateLimit?.(caller)
    const request = {
      ...(await parseRequest({ ...route, ctx, cleanup }, caller)),
      requestId: ctx.state.requestId,
      headers: ctx.headers,
    }
    const response = await definition.handle({ ...request, ...caller })
    const { status, written: wireBody } = encodeResponse(definition, response)
    getRequestDeadline().requireRemainingMs(0) // After the deadline the client has already received a 503.
    ctx.status = status
    ctx.set(response.headers ?? {})
    const type = definition.responses[status]
    if (typeof type === 'string' && !ctx.response.get('Content-Type')) ctx.type = type
    ctx.body = wireBody
  } catch (error) {
    if (error instanceof ApiError && !listErrorCodes(definition).includes(error.code)) {
      router.log.warn(
        { code: error.code, route: definition.path },
        'a refusal that the route does not declare',
      )
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
  if (definition.tokens === 'global_only') requireGlobalToken(token)
  return token
}

/** Fails with 403 for a provider-bound token. */
export function requireGlobalToken({ connectionUuid }: CallerToken): void {
  if (connectionUuid !== null) fail('token_bound_to_provider')
}

function encodeResponse(definition: AnyRoute, response: ApiResponse<ResponseSchemas>) {
  const status = response.status ?? (definition.responses[200] ? 200 : 201)
  const schema = definition.responses[status]
  if (!schema) throw new Error(`${definition.path} answers ${status} without a schema for it`)
  return { status, written: typeof schema === 'string' ? response.body : z.encode(schema, response.body) }
}

/** Lists every error code of a route: its own, and those that follow from its definition. */
export function listErrorCodes(definition: AnyRoute): ErrorCode[] {
  const codes: (ErrorCode | false | undefined)[] = [
    definition.tokens !== 'none' && 'unauthenticated',
    definition.tokens !== 'none' && 'rate_limited',
    definition.tokens === 'global_only' && 'token_bound_to_provider',
    definition.path.includes(':') && 'not_found',
    definition.body !== undefined && (isMultipart(definition) ? 'malformed_multipart' : 'malformed_json'),
    definition.body !== undefined && (isMultipart(definition) ? 'upload_too_large' : 'body_too_large'),
    definition.body !== undefined && 'unsupported_media_type',
    'validation_failed',
    ...(definition.responses.errors ?? []),
    'internal_error',
    'unavailable',
  ]
  return [...new Set(codes.filter(code => code !== false && code !== undefined))]
}

function isMultipart({ bodyAs }: AnyRoute): boolean {
  return bodyAs === 'multipart'
}
