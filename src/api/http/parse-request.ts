import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { UPLOAD_TIMEOUT_MS } from '../limits.ts'
import type { CallerToken } from '../middleware/authenticate.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '../operations/idempotency.ts'
import { fail } from './api-error.ts'
import { readJsonBody, readTextBody } from './body.ts'
import { omitOptionalNulls } from './field-names.ts'
import { readMultipartForm } from './multipart.ts'
import type { AnyRoute, ApiRouter } from './route.ts'
import { setArrivalTimeout } from './server.ts'
import { mergeErrors, type ValidationResult, validateSchema } from './validate.ts'

/** A route as it is served. */
export type PreparedRoute = {
  router: ApiRouter
  shape: AnyRoute
  /** What path and query are read with. */
  schemas: { params: z.ZodType; query: z.ZodType }
}
export type RouteRequest = PreparedRoute & {
  ctx: RouterContext
  /** What is done when the request is over, however it ends. */
  cleanup: AsyncDisposableStack
}
export type RequestCaller = { token: never; em: EntityManager }

/** What is known of a request before its body. */
type RequestBeforeBody = { params: never; idempotencyKey: string | null }

/** Everything a request brings, checked; all that is wrong with it is said at once. */
export async function parseRequest(served: RouteRequest, caller: RequestCaller) {
  const { shape, schemas: named, ctx } = served
  const params = validateSchema(named.params, ctx.params, 'path')
  if (params.kind === 'invalid') fail('not_found')
  const query = validateSchema(named.query, { ...ctx.query }, 'query')
  const key = parseIdempotencyKey(shape, ctx.headers['idempotency-key'])
  const idempotencyKey = key.kind === 'valid' ? key.value : null
  const body = await parseBody(served, caller, { params: params.value as never, idempotencyKey })
  if (query.kind === 'valid' && key.kind === 'valid' && body.kind === 'valid') {
    return { params: params.value, query: query.value, body: body.value, idempotencyKey: key.value }
  }
  fail('validation_failed', { errors: mergeErrors([query, key, body]) ?? {} })
}

/** A request that changes something says so by its path alone: a field in its body was meant to say something else. */
const EMPTY_BODY_SCHEMA = z.strictObject({})
const NO_BODY = { kind: 'valid', value: undefined } as const

function requiresEmptyBody({ method, tokens }: AnyRoute): boolean {
  return tokens !== 'none' && (method === 'post' || method === 'put' || method === 'patch')
}

async function parseBody(
  served: RouteRequest,
  caller: RequestCaller,
  known: RequestBeforeBody,
): Promise<ValidationResult<unknown>> {
  const { shape, ctx } = served
  if (shape.body === undefined)
    return requiresEmptyBody(shape)
      ? validateSchema(EMPTY_BODY_SCHEMA, await readJsonBody(ctx.req), 'body')
      : NO_BODY
  if (shape.body === 'text') return { kind: 'valid', value: await readTextBody(ctx.req) }
  if (shape.bodyAs === 'multipart') return parseForm(served, caller, known)
  const sent = omitBoundProvider(await readJsonBody(ctx.req), caller)
  const json = shape.isNullRejected ? sent : omitOptionalNulls(shape.body, sent)
  const checked = validateSchema(shape.body, json, 'body')
  if (checked.kind === 'valid' || !shape.validateSemantics) return checked
  const more = await shape.validateSemantics({ body: json, ...caller })
  return { kind: 'invalid', errors: { ...more, ...checked.errors } }
}

/** A bound token's own provider wins over any that it names, whatever that is: it is not even read. */
function omitBoundProvider(json: unknown, { token }: { token: CallerToken | null }): unknown {
  if (!token?.connectionUuid || typeof json !== 'object' || json === null || Array.isArray(json)) return json
  const { provider_uuid: _, ...rest } = json as Record<string, unknown>
  return rest
}

/** Waits for its turn, and looks only then whether the form is still wanted: the one before may have made it pointless. */
async function parseForm(
  { router, shape, ctx, cleanup: ends }: RouteRequest,
  caller: RequestCaller,
  known: RequestBeforeBody,
): Promise<ValidationResult<unknown>> {
  setArrivalTimeout(ctx.req, UPLOAD_TIMEOUT_MS)
  const deadline = getRequestDeadline()
  ends.defer(await deadline.pauseWhile(router.formSemaphore.acquire(ctx.state.token?.accountUuid ?? '')))
  await shape.beforeBody?.({ ...known, ...caller })
  const form = await deadline.pauseWhile(readMultipartForm(ctx.req))
  ends.defer(form.discard)
  const checked = validateSchema(shape.body as z.ZodType, form.value, 'body')
  const errors = mergeErrors([checked, { kind: 'invalid', errors: form.errors }])
  return errors ? { kind: 'invalid', errors } : checked
}

function parseIdempotencyKey(
  shape: AnyRoute,
  key: string | string[] | undefined,
): ValidationResult<string | null> {
  if (shape.method !== 'post' || key === undefined) return { kind: 'valid', value: null }
  const errors = { 'Idempotency-Key': ['must be 1 to 255 printable ASCII characters'] }
  return IDEMPOTENCY_KEY_PATTERN.test(String(key))
    ? { kind: 'valid', value: String(key) }
    : { kind: 'invalid', errors }
}

/** A route to be served: its schemas are made once, because making one costs many times what reading with it does. */
export function prepareRoute(router: ApiRouter, shape: AnyRoute): PreparedRoute {
  const named = {
    params: shape.params ?? buildUuidParamsSchema(shape.path),
    query: shape.query ?? buildEmptyQuerySchema(shape),
  }
  return { router, shape, schemas: named }
}

/** Merchants are told of what nobody reads; providers may append to our URLs what they like. */
function buildEmptyQuerySchema({ tokens }: AnyRoute): z.ZodType {
  return tokens === 'none' ? z.object({}) : z.strictObject({})
}

function buildUuidParamsSchema(path: string): z.ZodType {
  const names = path.split('/').filter(part => part.startsWith(':'))
  return z.object(Object.fromEntries(names.map(part => [part.slice(1), uuidSchema])))
}
