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
 * A route reads as a sentence: who may call it, what it takes, what it answers, and how. A file of `routes/` exports
 * `Routes`; `createApp` hands each one the router and the process's dependencies:
 *
 *     export const providerRoutes: Routes = router => {
 *       route(router, {
 *         method: 'get',
 *         path: '/api/v1/providers/:uuid',
 *         summary: 'Read a provider',
 *         answers: { 200: providerAnswer, errors: ['not_found'] },
 *         async handle({ params, token, em }) {
 *           return { body: { data: await providerOf(em, token, params.uuid) } }
 *         },
 *       })
 *     }
 *
 * The order of routes is the order of matching: `/defaults` stands before `/:uuid`.
 */
export function registerRoute<
  const Path extends string,
  Answers extends ResponseSchemas,
  Tokens extends TokenRule = 'any',
  Query extends z.ZodType = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType | 'text' = z.ZodUndefined,
  Params extends z.ZodType = z.ZodType<Record<ParamNames<Path>, string>>,
>(router: ApiRouter, shape: Route<Path, Tokens, Params, Query, Body, Answers>): void {
  const described = shape as unknown as AnyRoute
  router.routes.push(described)
  const served = prepareRoute(router, described)
  router.koa.register(shape.path, [shape.method], ctx => serveRequest(served, ctx))
}

/** `none` is for what is no merchant's: providers' notices. */
export type TokenRule = 'any' | 'global_only' | 'none'

/** A JSON schema, or the media type of an answer that is sent as it is. */
export type ResponseSchemas = {
  200?: z.ZodType | `${string}/${string}`
  201?: z.ZodType | `${string}/${string}`
}

export type Route<Path extends string, Tokens extends TokenRule, Params, Query, Body, Answers> = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: Path
  summary: string
  description?: string
  /** `any` where absent. */
  tokens?: Tokens
  /** What refuses a caller before anything of the request is read: so it counts requests, whatever is in them. */
  rateLimit?(caller: { token: TokenOf<Tokens>; em: EntityManager }): Promise<void>
  /** Path parameters; UUIDs where absent. What does not fit is 404. */
  params?: Params
  /** A strict object: what it does not know is 422. */
  query?: Query
  /** JSON by a schema, or the text as it came. */
  body?: Body
  /** `multipart`: the schema reads a form, whose files are Uploads and gone when the request is answered. */
  bodyAs?: 'json' | 'multipart'
  /** A POST whose repeat with its `Idempotency-Key` is given the first answer: what creates or moves money (SPEC §1). */
  isIdempotent?: true
  /** Refuses before a body is read that may be large: what makes it pointless is said at once. */
  beforeBody?(
    request: Pick<ApiRequest<Tokens, Params, Query, Body>, 'params' | 'token' | 'em' | 'idempotencyKey'>,
  ): Promise<void>
  /** What else is wrong with a body that its schema refuses: with the schema's own word, all is said at once. */
  /** Null is wrong even for an optional field: its absence means more than nothing. */
  isNullRejected?: boolean
  validateSemantics?(request: {
    body: unknown
    token: TokenOf<Tokens>
    em: EntityManager
  }): Promise<FieldErrors>
  /** One success, and the refusals that only this route gives (those of every route are known by its shape). */
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
  /** Only read on POST; of use where the route is keyed. */
  idempotencyKey: string | null
  headers: IncomingHttpHeaders
}

type ParamsOf<Params> = Params extends z.ZodType ? z.output<Params> : never
type TokenOf<Tokens> = Tokens extends 'none' ? null : CallerToken

/** In our terms; the schema of the status writes the wire. */
type ApiResponse<Answers> = {
  /** The route's only success where absent. */
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

/** A route as the app and OpenAPI see it. */
export type AnyRoute = Route<string, TokenRule, z.ZodType, z.ZodType, z.ZodType | 'text', ResponseSchemas>

export type ApiRouter = {
  koa: Router
  /** Every route so far, for OpenAPI. */
  routes: AnyRoute[]
  orm: Orm
  log: Logger
  /** Forms of one account are read a few at a time. */
  formSemaphore: Semaphore
  /** Finds the caller and counts the request: 401 or 429. */
  authenticateAndCount(ctx: RouterContext): Promise<CallerToken>
}

async function serveRequest(served: PreparedRoute, ctx: RouterContext): Promise<void> {
  const { router, shape } = served
  await using ends = new AsyncDisposableStack()
  try {
    const token = await authenticateCaller(router, shape, ctx)
    const caller = { token: token as never, em: router.orm.em.fork() }
    await shape.rateLimit?.(caller)
    const request = {
      ...(await parseRequest({ ...served, ctx, cleanup: ends }, caller)),
      requestId: ctx.state.requestId,
      headers: ctx.headers,
    }
    const answer = await shape.handle({ ...request, ...caller })
    const { status, written } = encodeResponse(shape, answer)
    getRequestDeadline().requireRemainingMs(0) // Past it the caller has been answered already.
    ctx.status = status
    ctx.set(answer.headers ?? {})
    const type = shape.responses[status]
    if (typeof type === 'string' && !ctx.response.get('Content-Type')) ctx.type = type
    ctx.body = written
  } catch (error) {
    if (error instanceof ApiError && !listErrorCodes(shape).includes(error.code)) {
      router.log.warn({ code: error.code, route: shape.path }, 'a refusal that the route does not declare')
    }
    throw error
  }
}

async function authenticateCaller(
  router: ApiRouter,
  shape: AnyRoute,
  ctx: RouterContext,
): Promise<CallerToken | null> {
  if (shape.tokens === 'none') return null
  const token = await router.authenticateAndCount(ctx)
  if (shape.tokens === 'global_only') requireGlobalToken(token)
  return token
}

/** 403 for a token that is bound to a provider. */
export function requireGlobalToken({ connectionUuid }: CallerToken): void {
  if (connectionUuid !== null) fail('token_bound_to_provider')
}

function encodeResponse(shape: AnyRoute, answer: ApiResponse<ResponseSchemas>) {
  const status = answer.status ?? (shape.responses[200] ? 200 : 201)
  const schema = shape.responses[status]
  if (!schema) throw new Error(`${shape.path} answers ${status} without a schema for it`)
  return { status, written: typeof schema === 'string' ? answer.body : z.encode(schema, answer.body) }
}

/** Every refusal a route may give: its own, and those that follow from its shape. */
export function listErrorCodes(shape: AnyRoute): ErrorCode[] {
  const codes: (ErrorCode | false | undefined)[] = [
    shape.tokens !== 'none' && 'unauthenticated',
    shape.tokens !== 'none' && 'rate_limited',
    shape.tokens === 'global_only' && 'token_bound_to_provider',
    shape.path.includes(':') && 'not_found',
    shape.body !== undefined && (isMultipart(shape) ? 'malformed_multipart' : 'malformed_json'),
    shape.body !== undefined && (isMultipart(shape) ? 'upload_too_large' : 'body_too_large'),
    shape.body !== undefined && 'unsupported_media_type',
    'validation_failed',
    ...(shape.responses.errors ?? []),
    'internal_error',
    'unavailable',
  ]
  return [...new Set(codes.filter(code => code !== false && code !== undefined))]
}

function isMultipart({ bodyAs }: AnyRoute): boolean {
  return bodyAs === 'multipart'
}
