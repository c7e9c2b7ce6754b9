import { text } from 'node:stream/consumers'
import type { RouterContext } from '@koa/router'
import type { Context } from 'koa'
import type { z } from 'zod'

/** Limit of a request's body; our webhooks are at most 100 kB. */
const MAX_BODY_BYTES = 1_048_576

/** An error of the control API, which the caller gets as JSON. */
export class ControlApiError extends Error {
  readonly status: number
  readonly errors: Record<string, string[]> | undefined
  constructor(status: number, message: string, errors?: Record<string, string[]>) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/**
 * Reads a request's body as text; throws a ControlApiError (413) if it is too large. May be called again, as by an API whose
 * requests are signed: the body is read once.
 */
export function readBodyText(ctx: Context): Promise<string> {
  if (Number(ctx.get('content-length')) > MAX_BODY_BYTES)
    throw new ControlApiError(413, 'the body is too large')
  const body = bodies.get(ctx) ?? text(ctx.req)
  bodies.set(ctx, body)
  return body
}
const bodies = new WeakMap<Context, Promise<string>>()

/** Parses a JSON body by its schema; throws a ControlApiError: 400 for other text, 422 naming every invalid field. */
export async function parseControlBody<T extends z.ZodType>(ctx: Context, schema: T): Promise<z.infer<T>> {
  const body = await readBodyText(ctx)
  let parsed: unknown
  try {
    parsed = body === '' ? {} : JSON.parse(body)
  } catch {
    throw new ControlApiError(400, 'the body is not JSON')
  }
  return parseWithSchema(schema, parsed)
}

export function parseWithSchema<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const errors: Record<string, string[]> = {}
  for (const issue of result.error.issues) {
    const field = issue.path.join('.') || 'body'
    errors[field] = [...(errors[field] ?? []), issue.message]
  }
  const texts = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(', ')}`)
  throw new ControlApiError(422, texts.join('; '), errors)
}

export function readPathParam(ctx: RouterContext, name: string): string {
  return (ctx.params as Record<string, string>)[name] ?? ''
}
