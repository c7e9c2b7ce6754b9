import type { z } from 'zod'

/** Collects the parts of an answer that are to be recorded while it is read. */
export type AnswerNotes = {
  /** Notes an unreadable list item, which is left out; `name`: its value outside a closed list, or `''`. */
  noteUnreadableItem(item: unknown, name: string): void
  /** Notes a status or type that is outside a closed list and makes the whole answer unreadable. */
  noteUnlistedValue(value: string): void
}

type UnreadableItem = { item: unknown; name: string }

export function createAnswerNotes(): {
  notes: AnswerNotes
  unreadableItems: readonly UnreadableItem[]
  getUnlistedValue: () => string
} {
  const unreadableItems: UnreadableItem[] = []
  let unlistedValue = ''
  return {
    unreadableItems,
    getUnlistedValue: () => unlistedValue,
    notes: {
      noteUnreadableItem: (item, name) => void unreadableItems.push({ item, name }),
      noteUnlistedValue: value => {
        unlistedValue = value
      },
    },
  }
}

/** Parses an answer in a documented shape; undefined for any other. Notes a value outside a closed list. */
export function parseAnswer<T>(shape: z.ZodType<T>, json: unknown, notes: AnswerNotes): T | undefined {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  notes.noteUnlistedValue(findUnlistedValue(parsed.error, json))
  return undefined
}

/** Parses the readable items of a list; notes the others one by one. */
export function parseItems<T>(shape: z.ZodType<T>, list: unknown, notes: AnswerNotes): T[] {
  return toItems(list).flatMap(item => {
    const parsed = shape.safeParse(item)
    if (parsed.success) return [parsed.data]
    notes.noteUnreadableItem(item, findUnlistedValue(parsed.error, item))
    return []
  })
}

/** Counts the items of a list, readable or not. */
export function countItems(list: unknown): number {
  return toItems(list).length
}

/** Treats anything but a list as one item, which no shape matches. */
function toItems(list: unknown): unknown[] {
  if (list == null) return []
  return Array.isArray(list) ? list : [list]
}

/** Finds the value outside a closed list if that is the only issue; otherwise `''`. */
function findUnlistedValue({ issues }: z.ZodError, json: unknown): string {
  const [issue, ...others] = issues
  if (issue?.code !== 'invalid_value' || others.length > 0) return ''
  let value = json
  for (const key of issue.path) value = (value as Record<PropertyKey, unknown>)[key]
  return typeof value === 'string' ? value : ''
}
