import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Semaphore } from '../../domain/shared/semaphore.ts'
import { fail } from '../../http/api-error.ts'
import { readJsonBody, readTextBody } from '../../http/body.ts'
import { describeInQueryTerms } from '../../http/field-message.ts'
import { listFieldNames, omitOptionalNulls } from '../../http/field-names.ts'
import { readMultipartForm } from '../../http/multipart.ts'
import { mergeErrors, type ValidationResult, validateSchema } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '../operations/idempotency.ts'
import { type AnyRoute, getBodyReader } from './route-definition.ts'

/** A route with the schemas of its path parameters and of its query. */
export type PreparedRoute = AnyRoute & { params: z.ZodType; query: z.ZodType }
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
export async function parseRequest(request: RouteRequest, caller: RequestCaller) {
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
  fail('validation_failed', { errors: mergeErrors([query, key, body]) ?? {} })
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
  const input = omitBoundProvider(body, await readJsonBody(ctx), caller)
  const json = route.isNullRejected ? input : omitOptionalNulls(body, input)
  const result = validateSchema(body, json, 'body')
  if (result.kind === 'valid' || !route.validateSemantics) return result
  const semanticErrors = await route.validateSemantics({ body: json, ...caller })
  return { kind: 'invalid', errors: { ...semanticErrors, ...result.errors } }
}

/**
 * Removes the field `provider_uuid`, where a body has one, for a provider-bound token: the token's own connection is used,
 * and the field is not even validated.
 */
function omitBoundProvider(
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
  if (definition.method !== 'post' || key === undefined) return { kind: 'valid', value: null }
  const errors = { 'Idempotency-Key': ['must be 1 to 255 printable ASCII characters'] }
  return IDEMPOTENCY_KEY_PATTERN.test(String(key))
    ? { kind: 'valid', value: String(key) }
    : { kind: 'invalid', errors }
}

/**
 * Completes the schemas of a route, once, because building one costs many times what a validation does. In a route
 * without a query unknown parameters are 422, but ignored on provider callbacks.
 */
export function prepareRoute(definition: AnyRoute): PreparedRoute {
  const { tokens, path } = definition
  const uuids = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, uuidSchema])
  const {
    params = z.object(Object.fromEntries(uuids)),
    query = tokens === 'none' ? z.object({}) : z.strictObject({}),
  } = definition
  return { ...definition, params, query }
}
