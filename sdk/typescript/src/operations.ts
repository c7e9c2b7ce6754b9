import type { OperationId } from './call.ts'
import { DESCRIPTIONS, SCHEMAS } from './openapi/descriptions.ts'
import { OPERATIONS } from './openapi/operations.ts'

/** The operations of the API as data, for programs that offer them to others: MCP servers, nodes of workflow tools. */

/** What an operation does: `read` changes nothing, every other value changes something, and may move money. */
export const ACCESSES = ['read', 'charges', 'refunds', 'transfers', 'webhooks', 'reports'] as const
export type Access = (typeof ACCESSES)[number]

/** A parameter of the path or of the query, with its JSON Schema. */
export type OperationParameter = {
  name: string
  in: 'path' | 'query'
  isRequired: boolean
  schema: object
}

/** What openapi.json says of an operation. */
export type OperationDescription = {
  tag: string
  summary: string
  description: string
  access: Access
  /** Its response may hold a signing secret as a whole. */
  showsSecret: boolean
  parameters: OperationParameter[]
  /** `schema` may refer to `#/components/schemas/…`, which `SCHEMAS` holds by name. */
  body?: { mediaType: string; isRequired: boolean; schema: object; example?: unknown }
}

/** An operation that a program may offer. */
export type OfferedOperation = OperationDescription & {
  id: OperationId
  method: string
  path: string
  /** It takes an idempotency key: with the same one it is executed once. */
  isKeyed: boolean
  /** The media type of its response. */
  accept: string
}

/** JSON Schemas of bodies, by name. */
export { SCHEMAS }

/**
 * Lists the operations that a program may offer to those who choose them by name: reads, and those of the accesses
 * given. Left out are operations that show a signing secret, and those whose body is a file.
 */
export function listOfferedOperations(accesses: Iterable<Access> = []): OfferedOperation[] {
  const allowed = new Set<Access>(['read', ...accesses])
  return Object.entries(DESCRIPTIONS)
    .map(([id, description]) => ({
      id: id as OperationId,
      ...OPERATIONS[id as OperationId],
      ...description,
    }))
    .filter(
      ({ access, showsSecret, body }) =>
        allowed.has(access) && !showsSecret && (body === undefined || body.mediaType === 'application/json'),
    )
}

/** Parses names of accesses, separated by commas. Throws a TypeError that lists them. */
export function parseAccesses(text: string): Access[] {
  const names = text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const unknown = names.filter(name => !ACCESSES.some(access => access === name))
  if (unknown.length > 0)
    throw new TypeError(`Unknown access: ${unknown.join(', ')}. There are ${ACCESSES.join(', ')}.`)
  return names as Access[]
}
