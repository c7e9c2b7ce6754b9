import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import type { EntityManager } from '../db/orm.ts'
import { uuid } from '../wire/common.ts'
import type { Token } from './auth.ts'
import { readJson, readText } from './body.ts'
import { allErrors, type Checked, check } from './check.ts'
import { requestDeadline } from './deadline.ts'
import { refuse } from './errors.ts'
import { withoutOptionalNulls } from './fields.ts'
import { IDEMPOTENCY_KEY } from './idempotency.ts'
import { UPLOAD_MS } from './limits.ts'
import type { AnyRoute, ApiRouter } from './route.ts'
import { giveTime } from './server.ts'
import { readForm } from './uploads.ts'

/** A route as it is served. */
export type ServedRoute = {
  router: ApiRouter
  shape: AnyRoute
  /** What path and query are read with. */
  named: { params: z.ZodType; query: z.ZodType }
}
export type Served = ServedRoute & {
  ctx: RouterContext
  /** What is done when the request is over, however it ends. */
  ends: AsyncDisposableStack
}
export type Caller = { token: never; em: EntityManager }

/** What is known of a request before its body. */
type KnownAhead = { params: never; idempotencyKey: string | null }

/** Everything a request brings, checked; all that is wrong with it is said at once. */
export async function taken(served: Served, caller: Caller) {
  const { shape, named, ctx } = served
  const params = check(named.params, ctx.params, 'path')
  if (params.kind === 'wrong') refuse('not_found')
  const query = check(named.query, { ...ctx.query }, 'query')
  const key = keyOf(shape, ctx.headers['idempotency-key'])
  const idempotencyKey = key.kind === 'fine' ? key.value : null
  const body = await bodyOf(served, caller, { params: params.value as never, idempotencyKey })
  if (query.kind === 'fine' && key.kind === 'fine' && body.kind === 'fine') {
    return { params: params.value, query: query.value, body: body.value, idempotencyKey: key.value }
  }
  refuse('validation_failed', { errors: allErrors([query, key, body]) ?? {} })
}

/** A request that changes something says so by its path alone: a field in its body was meant to say something else. */
const NO_FIELDS = z.strictObject({})
const NOTHING = { kind: 'fine', value: undefined } as const

function takesFields({ method, tokens }: AnyRoute): boolean {
  return tokens !== 'none' && (method === 'post' || method === 'put' || method === 'patch')
}

async function bodyOf(served: Served, caller: Caller, known: KnownAhead): Promise<Checked<unknown>> {
  const { shape, ctx } = served
  if (shape.body === undefined)
    return takesFields(shape) ? check(NO_FIELDS, await readJson(ctx.req), 'body') : NOTHING
  if (shape.body === 'text') return { kind: 'fine', value: await readText(ctx.req) }
  if (shape.bodyAs === 'multipart') return formOf(served, caller, known)
  const sent = heard(await readJson(ctx.req), caller)
  const json = shape.refusesNull ? sent : withoutOptionalNulls(shape.body, sent)
  const checked = check(shape.body, json, 'body')
  if (checked.kind === 'fine' || !shape.alsoWrong) return checked
  const more = await shape.alsoWrong({ body: json, ...caller })
  return { kind: 'wrong', errors: { ...more, ...checked.errors } }
}

/** A bound token's own provider wins over any that it names, whatever that is: it is not even read. */
function heard(json: unknown, { token }: { token: Token | null }): unknown {
  if (!token?.connectionUuid || typeof json !== 'object' || json === null || Array.isArray(json)) return json
  const { provider_uuid: _, ...rest } = json as Record<string, unknown>
  return rest
}

/** Waits for its turn, and looks only then whether the form is still wanted: the one before may have made it pointless. */
async function formOf(
  { router, shape, ctx, ends }: Served,
  caller: Caller,
  known: KnownAhead,
): Promise<Checked<unknown>> {
  giveTime(ctx.req, UPLOAD_MS)
  const deadline = requestDeadline()
  ends.defer(await deadline.uncounted(router.formTurns.take(ctx.state.token?.accountUuid ?? '')))
  await shape.mayCome?.({ ...known, ...caller })
  const form = await deadline.uncounted(readForm(ctx.req))
  ends.defer(form.discard)
  const checked = check(shape.body as z.ZodType, form.value, 'body')
  const errors = allErrors([checked, { kind: 'wrong', errors: form.errors }])
  return errors ? { kind: 'wrong', errors } : checked
}

function keyOf(shape: AnyRoute, key: string | string[] | undefined): Checked<string | null> {
  if (shape.method !== 'post' || key === undefined) return { kind: 'fine', value: null }
  const errors = { 'Idempotency-Key': ['must be 1 to 255 printable ASCII characters'] }
  return IDEMPOTENCY_KEY.test(String(key)) ? { kind: 'fine', value: String(key) } : { kind: 'wrong', errors }
}

/** A route to be served: its schemas are made once, because making one costs many times what reading with it does. */
export function servedRoute(router: ApiRouter, shape: AnyRoute): ServedRoute {
  const named = { params: shape.params ?? uuidsOf(shape.path), query: shape.query ?? noQuery(shape) }
  return { router, shape, named }
}

/** Merchants are told of what nobody reads; providers may append to our URLs what they like. */
function noQuery({ tokens }: AnyRoute): z.ZodType {
  return tokens === 'none' ? z.object({}) : z.strictObject({})
}

function uuidsOf(path: string): z.ZodType {
  const names = path.split('/').filter(part => part.startsWith(':'))
  return z.object(Object.fromEntries(names.map(part => [part.slice(1), uuid])))
}
