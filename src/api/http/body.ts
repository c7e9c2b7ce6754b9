import type { IncomingMessage } from 'node:http'
import { type ObjectNode, parse, traverse } from '@humanwhocodes/momoa'
import { MAX_BODY_BYTES, MAX_BODY_DEPTH } from '../limits.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'
import { fail, failField } from './api-error.ts'

/** Reads the whole body as text: 413 above 100 kB, 415 where it is compressed, 400 where it is not UTF-8. */
export async function readTextBody(request: IncomingMessage): Promise<string> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') fail('unsupported_media_type')
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) fail('body_too_large')
  const bytes = await getRequestDeadline().pauseWhile(readBodyBytes(request))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    fail('malformed_json')
  }
}

/** Reads a JSON body. An absent body is read as an empty object, so that validation names each missing field. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const text = await readTextBody(request)
  if (text === '') return {}
  if (!isJsonContentType(request.headers['content-type'])) fail('unsupported_media_type')
  const value = parseJson(text)
  if (value === null || typeof value !== 'object') return value
  if (measureDepth(value) > MAX_BODY_DEPTH) {
    failField('body', `must not be nested deeper than ${MAX_BODY_DEPTH} levels`)
  }
  // JSON.parse would silently keep the last of two values; which one the merchant meant is unknown.
  const repeated = findRepeatedName(text)
  if (repeated !== undefined) fail('malformed_json', { errors: { [repeated]: ['must be sent once'] } })
  return value
}

async function readBodyBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      size += part.length
      if (size > MAX_BODY_BYTES) break
      parts.push(part)
    }
  } catch {
    fail('malformed_json') // The client closed the connection; no one reads this response.
  }
  // Read and drop the rest of the body: closing with unread data would reset the connection and lose the response.
  request.resume()
  if (size > MAX_BODY_BYTES) fail('body_too_large')
  return Buffer.concat(parts)
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

/** Finds the first name that one object of a JSON text contains twice; undefined where there is none. */
function findRepeatedName(text: string): string | undefined {
  let repeated: string | undefined
  traverse(parse(text), {
    enter(node) {
      if (node.type !== 'Object') return
      const names = (node as ObjectNode).members.map(({ name }) => ('value' in name ? name.value : name.name))
      const earlierNames = new Set<string>()
      repeated ??= names.find(name => earlierNames.size === earlierNames.add(name).size)
    },
  })
  return repeated
}

/** Counts the levels of nested objects and lists, breadth first: a deep input must not overflow the stack. */
function measureDepth(value: unknown): number {
  let depth = 0
  let level = [value]
  while (depth <= MAX_BODY_DEPTH) {
    level = level
      .filter(item => typeof item === 'object' && item !== null)
      .flatMap(item => Object.values(item!))
    if (level.length === 0) return depth
    depth += 1
  }
  return depth
}
