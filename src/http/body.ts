import { parse, type ValueNode } from '@humanwhocodes/momoa'
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import type { ErrorCode } from '../domain/errors/error-catalogue.ts'
import { ApiError, fail, failField } from './api-error.ts'
import { MAX_BATCH_BYTES, MAX_BODY_BYTES, MAX_BODY_DEPTH } from './limits.ts'
import { getRequestDeadline } from './request-deadline.ts'
import { awaitArrival } from './server.ts'

/**
 * Reads bodies by koa-body, as text: signatures need the bytes, and its JSON parser replaces invalid UTF-8, keeps the last
 * of two equal names and refuses the name `__proto__`. The limits that it has no option for follow here.
 */
const createByteReader = (maxBytes: number) =>
  koaBody({
    text: true,
    textTypes: ['*/*'],
    textLimit: maxBytes,
    encoding: 'binary',
    json: false,
    urlencoded: false,
  })

/** Most bytes of a body, and the error of a larger one. */
export type BodyLimit = { maxBytes: number; code: ErrorCode }

const DEFAULT_LIMIT: BodyLimit = { maxBytes: MAX_BODY_BYTES, code: 'body_too_large' }
const BATCH_READER = createByteReader(MAX_BATCH_BYTES)
const DEFAULT_READER = createByteReader(MAX_BODY_BYTES)

/** Limit of a body that orders many operations at once. */
export const BATCH_LIMIT: BodyLimit = { maxBytes: MAX_BATCH_BYTES, code: 'batch_too_large' }

/** Reads the whole body as text: 413 above 100 kB, 415 where it is compressed, 400 where it is not UTF-8. */
export async function readTextBody(ctx: Context): Promise<string> {
  return decodeText(await readBodyBytes(ctx, DEFAULT_LIMIT))
}

/** Tests whether a body is a table of CSV. */
export function isCsvBody(ctx: Context): boolean {
  return /^\s*text\/csv\s*(;|$)/i.test(ctx.get('Content-Type'))
}

/** Reads a body of CSV as text, with its byte order mark; 422 where it is not UTF-8. */
export async function readCsvBody(ctx: Context, limit: BodyLimit): Promise<string> {
  const bytes = await readBodyBytes(ctx, limit)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return failField('body', 'must be UTF-8: save the table as "CSV UTF-8"')
  }
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    fail('malformed_json')
  }
}

async function readBodyBytes(ctx: Context, limit: BodyLimit): Promise<Buffer> {
  const readBytes = limit === BATCH_LIMIT ? BATCH_READER : DEFAULT_READER
  refuseCompression(ctx)
  // koa-body skips bodies without a valid media type; a provider may name none (RFC 9110 §8.3).
  if (!ctx.is('*/*')) ctx.req.headers['content-type'] = 'application/octet-stream'
  try {
    await getRequestDeadline().pauseWhile(
      awaitArrival(
        ctx.req,
        readBytes(ctx, async () => {}),
      ),
    )
    return Buffer.from(String(ctx.request.body ?? ''), 'binary')
  } catch (error) {
    if (error instanceof ApiError) throw error
    fail(Object(error).status === 413 ? limit.code : 'malformed_json')
  } finally {
    // Read and drop the rest of the body: closing with unread data would reset the connection and lose the response.
    ctx.req.resume()
  }
}

/** Fails with 415 where the body is compressed: its limits would hold for other bytes than are read. */
export function refuseCompression(ctx: Context): void {
  if (!['', 'identity'].includes(ctx.get('Content-Encoding'))) fail('unsupported_media_type')
}

/** Reads a JSON body. An absent body is read as an empty object, so that validation names each missing field. */
export async function readJsonBody(ctx: Context, limit = DEFAULT_LIMIT): Promise<unknown> {
  const isJson = isJsonContentType(ctx.get('Content-Type'))
  const bytes = await readBodyBytes(ctx, limit)
  if (bytes.length === 0) return {}
  // Before it is decoded: the bytes of another charset are not broken JSON.
  if (!isJson) fail('unsupported_media_type')
  const text = decodeText(bytes)
  const value = parseJson(text)
  if (value === null || typeof value !== 'object') return value
  if (isNestedDeeper(value, MAX_BODY_DEPTH)) {
    failField('body', {
      text: 'must not be nested deeper than {max} levels',
      gaps: { max: MAX_BODY_DEPTH },
    })
  }
  // JSON.parse would silently keep the last of two values; which one the merchant meant is unknown.
  const repeated = listRepeatedPaths(parse(text).body, [])
  if (repeated.length > 0)
    fail('malformed_json', {
      errors: Object.fromEntries(repeated.map(path => [path, ['must be sent once']])),
    })
  return value
}

/**
 * Tests for `application/json` or `application/<something>+json`, in UTF-8. The pattern matches each blank in one way
 * only, so that many blanks cannot cause backtracking.
 */
export function isJsonContentType(contentType = ''): boolean {
  return /^application\/([\w.!#$&^-]+\+)?json(\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*(;\s*)?$/i.test(contentType)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    fail('malformed_json')
  }
}

/** Lists the paths (`splits.0.value`) of the names that an object of a JSON text contains more than once. */
function listRepeatedPaths(node: ValueNode, path: string[]): string[] {
  if (node.type === 'Array')
    return node.elements.flatMap(({ value }, index) => listRepeatedPaths(value, [...path, String(index)]))
  if (node.type !== 'Object') return []
  const earlierNames = new Set<string>()
  return node.members.flatMap(({ name, value }) => {
    const text = name.type === 'Identifier' ? name.name : name.value
    const memberPath = [...path, text]
    const isRepeated = earlierNames.size === earlierNames.add(text).size
    return [...(isRepeated ? [memberPath.join('.')] : []), ...listRepeatedPaths(value, memberPath)]
  })
}

/** Tests whether objects and lists are nested deeper than `levels`; goes no deeper itself, so the stack suffices. */
function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(inner => levels === 0 || isNestedDeeper(inner, levels - 1))
}
