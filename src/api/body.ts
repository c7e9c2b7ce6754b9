import type { IncomingMessage } from 'node:http'
import { type ObjectNode, parse, traverse } from '@humanwhocodes/momoa'
import { requestDeadline } from './deadline.ts'
import { refuse, refuseField } from './errors.ts'
import { MOST_BODY_BYTES, MOST_BODY_DEPTH } from './limits.ts'

/** The whole body as text: 413 above 100 kB, 415 where it is compressed, 400 where it is not UTF-8. */
export async function readText(request: IncomingMessage): Promise<string> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') refuse('unsupported_media_type')
  if (Number(request.headers['content-length'] ?? 0) > MOST_BODY_BYTES) refuse('body_too_large')
  const bytes = await requestDeadline().uncounted(bytesOf(request))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    refuse('malformed_json')
  }
}

/** A JSON body; no body at all is an empty object, so that what is missing is named field by field. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request)
  if (text === '') return {}
  if (!isJson(request.headers['content-type'])) refuse('unsupported_media_type')
  const value = parsed(text)
  if (value === null || typeof value !== 'object') return value
  if (depthOf(value) > MOST_BODY_DEPTH) {
    refuseField('body', `must not be nested deeper than ${MOST_BODY_DEPTH} levels`)
  }
  // Which of two values was meant cannot be known, and JSON.parse would silently take the last.
  const repeated = repeatedName(text)
  if (repeated !== undefined) refuse('malformed_json', { errors: { [repeated]: ['must be sent once'] } })
  return value
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      size += part.length
      if (size > MOST_BODY_BYTES) break
      parts.push(part)
    }
  } catch {
    refuse('malformed_json') // The sender hung up in the middle; nobody will read this.
  }
  // What is still on its way is read and dropped, or the answer would be lost with the connection.
  request.resume()
  if (size > MOST_BODY_BYTES) refuse('body_too_large')
  return Buffer.concat(parts)
}

/** `application/json` or `application/<something>+json`, in UTF-8. No blank may be read in two ways: there may be many. */
export function isJson(contentType = ''): boolean {
  return /^application\/([\w.!#$&^-]+\+)?json(\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*(;\s*)?$/i.test(contentType)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    refuse('malformed_json')
  }
}

/** The first name that one object of a JSON text gives twice, or undefined. */
function repeatedName(text: string): string | undefined {
  let repeated: string | undefined
  traverse(parse(text), {
    enter(node) {
      if (node.type !== 'Object') return
      const names = (node as ObjectNode).members.map(({ name }) => ('value' in name ? name.value : name.name))
      const seen = new Set<string>()
      repeated ??= names.find(name => seen.size === seen.add(name).size)
    },
  })
  return repeated
}

/** Levels of objects and lists, counted breadth first: no depth of input is a depth of our stack. */
function depthOf(value: unknown): number {
  let depth = 0
  let level = [value]
  while (depth <= MOST_BODY_DEPTH) {
    level = level
      .filter(item => typeof item === 'object' && item !== null)
      .flatMap(item => Object.values(item!))
    if (level.length === 0) return depth
    depth += 1
  }
  return depth
}
