import type { z } from 'zod'

/** What is to be recorded of an answer while it is read. */
export type AnswerNotes = {
  /** One item of a list, which cannot be read and is left out of it; `name`: the value in it that no list of ours names. */
  noteUnreadableItem(item: unknown, name: string): void
  /** A status or type that no list of ours names, and that keeps the whole answer from being read. */
  noteUnlistedValue(value: string): void
}

type UnreadableItem = { item: unknown; name: string }

export function createAnswerNotes(): {
  notes: AnswerNotes
  unreadableItems: readonly UnreadableItem[]
  getUnlistedValue: () => string
} {
  const leftOut: UnreadableItem[] = []
  let unlisted = ''
  return {
    unreadableItems: leftOut,
    getUnlistedValue: () => unlisted,
    notes: {
      noteUnreadableItem: (item, name) => void leftOut.push({ item, name }),
      noteUnlistedValue: value => {
        unlisted = value
      },
    },
  }
}

/** An answer in a documented shape, or undefined. A value outside a closed list is noted by its name. */
export function parseAnswer<T>(shape: z.ZodType<T>, json: unknown, notes: AnswerNotes): T | undefined {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  notes.noteUnlistedValue(findUnlistedValue(parsed.error, json))
  return undefined
}

/** The items of a list that can be read; the others are noted one by one. */
export function parseItems<T>(shape: z.ZodType<T>, list: unknown, notes: AnswerNotes): T[] {
  return toItems(list).flatMap(item => {
    const parsed = shape.safeParse(item)
    if (parsed.success) return [parsed.data]
    notes.noteUnreadableItem(item, findUnlistedValue(parsed.error, item))
    return []
  })
}

/** How many items a list has, whether they can be read or not. */
export function countItems(list: unknown): number {
  return toItems(list).length
}

/** What is no list counts as one item, which no shape fits. */
function toItems(list: unknown): unknown[] {
  if (list == null) return []
  return Array.isArray(list) ? list : [list]
}

/** The one value outside a closed list, where nothing else is wrong; else `''`. */
function findUnlistedValue({ issues }: z.ZodError, json: unknown): string {
  const [issue, ...others] = issues
  if (issue?.code !== 'invalid_value' || others.length > 0) return ''
  let value = json
  for (const key of issue.path) value = (value as Record<PropertyKey, unknown>)[key]
  return typeof value === 'string' ? value : ''
}
