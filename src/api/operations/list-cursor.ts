import { createHash } from 'node:crypto'
import stringify from 'safe-stable-stringify'
import { z } from 'zod'
import { DAY } from '../../domain/shared/intervals.ts'
import { failField } from '../../http/api-error.ts'

/** Cursors of lists (SPEC §1): the position of a row, the list and its filters, and an expiry. */

/** The list that a cursor belongs to. */
type CursorList = {
  /** Name of the list, with the uuid of the resource that the list is of. */
  name: string
  /** Parameters that select rows. */
  filters: object
}

const CURSOR_LIFETIME_MS = DAY
const MALFORMED_MESSAGE = 'must be empty or the `next_cursor` of a page'

/** Name of the list, digest of its filters, expiry in milliseconds, and position of the last row. */
const cursorSchema = z.tuple([z.string(), z.string(), z.int(), z.array(z.string())])

/** Writes the cursor of the rows after a position. */
export function encodeCursor({ name, filters }: CursorList, position: readonly string[]): string {
  const expiresAt = Date.now() + CURSOR_LIFETIME_MS
  const cursor: z.output<typeof cursorSchema> = [name, digestFilters(filters), expiresAt, [...position]]
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Reads the position of a cursor, or fails with 422 where it is none of this list, of other filters or expired. */
export function decodeCursor<Position>(
  text: string,
  { name, filters }: CursorList,
  schema: z.ZodType<Position>,
): Position {
  const cursor = cursorSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
  if (!cursor.success) return failField('cursor', MALFORMED_MESSAGE)
  const [cursorName, digest, expiresAt, place] = cursor.data
  if (cursorName !== name) failField('cursor', 'must be a cursor of this list')
  if (digest !== digestFilters(filters)) failField('cursor', 'must be sent with the filters of its list')
  if (Date.now() >= expiresAt) failField('cursor', 'must be younger than 24 hours')
  const position = schema.safeParse(place)
  return position.success ? position.data : failField('cursor', MALFORMED_MESSAGE)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Digests filters by their parsed values, so that another spelling of the same filter is no other filter. */
function digestFilters(filters: object): string {
  return createHash('sha256').update(stringify(filters)).digest('base64url').slice(0, 16)
}
