import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Logger } from 'pino'
import { z } from 'zod'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { nameTableLines } from '../../contract/transfers/batch-csv.ts'
import type { EntityManager, Orm } from '../../db/client/orm.ts'
import type { Semaphore } from '../../domain/shared/semaphore.ts'
import { listAllowingScopes } from '../../domain/tokens/token-scope.ts'
import { ApiError, fail } from '../../http/api-error.ts'
import { BATCH_LIMIT, isCsvBody, readCsvBody, readJsonBody, readTextBody } from '../../http/body.ts'
import { describeInQueryTerms } from '../../http/field-message.ts'
import { listFieldNames, omitOptionalNulls } from '../../http/field-names.ts'
import { readMultipartForm } from '../../http/multipart.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { limitFieldErrors, mergeErrors, type ValidationResult, validateSchema } from '../../http/validate.ts'
import { sha256 } from '../../security/sealing.ts'
import type { AuthenticatedToken, CallerToken } from '../authorization/authenticate.ts'
import type { Admission } from '../operations/admission.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '../operations/idempotency.ts'
import {
  type AnyRoute,
  type ApiResponse,
  getBodyReader,
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
      ip: ctx.ip,
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
    if (error instanceof ApiError && error.details.errors && ctx.state.csvLines)
      fail(error.code, { ...error.details, errors: nameTableLines(error.details.errors, ctx.state.csvLines) })
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

/** Fails with 403 for a provider-scoped token. */
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
  const { responses } = definition
  const status = response.status ?? (responses[200] ? 200 : responses[201] ? 201 : 202)
  const schema = definition.responses[status]
  if (!schema) throw new Error(`${definition.path} answers ${status} without a schema for it`)
  return typeof schema === 'string'
    ? { status, mediaType: schema, content: response.body }
    : { status, mediaType: 'application/json', content: JSON.stringify(z.encode(schema, response.body)) }
}

/** A route with the schemas of its path parameters and of its query. */
type PreparedRoute = AnyRoute & { params: z.ZodType; query: z.ZodType }
type RouteRequest = {
  route: PreparedRoute
  ctx: RouterContext
  /** Limits the forms of one account that are read at once. */
  formSemaphore: Semaphore
  /** Disposed when the request ends, whether it succeeds or fails. */
  cleanup: AsyncDisposableStack
}
type RequestCaller = { token: never; em: EntityManager }

/** Parts of a request that are parsed before its body. */
type RequestBeforeBody = { params: never; idempotencyKey: string | null }

/** Parses and validates parameters, query, Idempotency-Key and body; fails with all errors at once. */
async function parseRequest(request: RouteRequest, caller: RequestCaller) {
  const { route, ctx } = request
  const params = validateSchema(route.params, ctx.params, 'path')
  if (params.kind === 'invalid') fail('not_found')
  const query = validateSchema(route.query, { ...ctx.query }, 'query', describeInQueryTerms)
  const key = parseIdempotencyKey(route, ctx.headers['idempotency-key'])
  const idempotencyKey = key.kind === 'valid' ? key.value : null
  const body = await parseBody(request, caller, { params: params.value as never, idempotencyKey })
  if (query.kind === 'valid' && key.kind === 'valid' && body.kind === 'valid') {
    return { params: params.value, query: query.value, body: body.value, idempotencyKey: key.value }
  }
  fail('validation_failed', { errors: limitFieldErrors(mergeErrors([query, key, body]) ?? {}) })
}

/** Schema of a request that takes no body: any field in it is an error, because the merchant meant something by it. */
const EMPTY_BODY_SCHEMA = z.strictObject({})

async function parseBody(
  request: RouteRequest,
  caller: RequestCaller,
  head: RequestBeforeBody,
): Promise<ValidationResult<unknown>> {
  const { route, ctx } = request
  const reader = getBodyReader(route)
  if (reader === undefined) return { kind: 'valid', value: undefined }
  if (reader === 'text') return { kind: 'valid', value: await readTextBody(ctx) }
  if (reader === 'multipart') return parseForm(request, caller, head)
  await route.beforeBody?.({ ...head, ...caller })
  const { body = EMPTY_BODY_SCHEMA } = route as { body?: z.ZodType }
  if (route.parseCsv && isCsvBody(ctx)) return parseCsvBody(route, ctx, caller)
  const input = omitProviderField(body, await readJsonBody(ctx, route.bodyLimit), caller)
  if (route.parseCsv && Object.keys(ctx.query).length > 0)
    return { kind: 'invalid', errors: { query: ['is for a body of text/csv: send its fields in the body'] } }
  const json = route.isNullRejected ? input : omitOptionalNulls(body, input)
  const result = validateSchema(body, json, 'body')
  if (result.kind === 'valid' || !route.validateSemantics) return result
  const semanticErrors = await route.validateSemantics({ body: json, ...caller })
  return { kind: 'invalid', errors: { ...semanticErrors, ...result.errors } }
}

/** Parses a table as the `items` of the body, whose other fields are in the query. */
async function parseCsvBody(
  route: PreparedRoute,
  ctx: RouterContext,
  caller: RequestCaller,
): Promise<ValidationResult<unknown>> {
  const body = route.body as z.ZodType
  const { items, lines, errors } = route.parseCsv!(await readCsvBody(ctx, route.bodyLimit ?? BATCH_LIMIT))
  ctx.state.csvLines = lines
  const result = validateSchema(body, omitProviderField(body, { ...ctx.query, items }, caller), 'body')
  // Of a cell that is no value of its column, what the table says about it.
  const merged = mergeErrors([result, { kind: 'invalid', errors }])
  return merged ? { kind: 'invalid', errors: merged } : result
}

/**
 * Removes the field `provider_uuid`, where a body has one, for a provider-scoped token: the token's own connection is used,
 * and the field is not even validated.
 */
function omitProviderField(
  body: z.ZodType,
  json: unknown,
  { token }: { token: CallerToken | null },
): unknown {
  if (!token?.connectionUuid || !listFieldNames(body).includes('provider_uuid')) return json
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json
  const { provider_uuid: _, ...rest } = json as Record<string, unknown>
  return rest
}

async function parseForm(
  { route, ctx, cleanup, formSemaphore }: RouteRequest,
  caller: RequestCaller,
  head: RequestBeforeBody,
): Promise<ValidationResult<unknown>> {
  const form = await readMultipartForm(ctx, {
    cleanup,
    formSemaphore,
    accountUuid: ctx.state.token?.accountUuid,
    beforeBody: async () => route.beforeBody?.({ ...head, ...caller }),
  })
  const result = validateSchema(route.body as z.ZodType, form.value, 'body')
  const errors = mergeErrors([result, { kind: 'invalid', errors: form.errors }])
  return errors ? { kind: 'invalid', errors } : result
}

function parseIdempotencyKey(
  definition: AnyRoute,
  key: string | string[] | undefined,
): ValidationResult<string | null> {
  if ((definition.method !== 'post' && !definition.isIdempotent) || key === undefined)
    return { kind: 'valid', value: null }
  const errors = { 'Idempotency-Key': ['must be 1 to 255 printable ASCII characters'] }
  return IDEMPOTENCY_KEY_PATTERN.test(String(key))
    ? { kind: 'valid', value: String(key) }
    : { kind: 'invalid', errors }
}

/**
 * Completes the schemas of a route, once, because building one costs many times what a validation does. In a route
 * without a query unknown parameters are 422, but ignored on provider callbacks.
 */
function prepareRoute(definition: AnyRoute): PreparedRoute {
  const { tokens, path } = definition
  const uuids = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, uuidSchema])
  const {
    params = z.object(Object.fromEntries(uuids)),
    query = tokens === 'none' ? z.object({}) : z.strictObject({}),
  } = definition
  return { ...definition, params, query }
}
