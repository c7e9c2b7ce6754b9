import { z } from 'zod'

/** Collects the parts of an answer that are to be recorded while it is read. */
export type AnswerNotes = {
  /** Notes an unreadable list item, which is left out; `name`: its value outside a closed list, or `''`. */
  noteUnreadableItem(item: unknown, name: string): void
  /** Notes a status or type that is outside a closed list and makes the whole answer unreadable. */
  noteUnlistedValue(value: string): void
}

export function createAnswerNotes() {
  const unreadableItems: { item: unknown; name: string }[] = []
  let unlistedValue = ''
  const notes: AnswerNotes = {
    noteUnreadableItem: (item, name) => void unreadableItems.push({ item, name }),
    noteUnlistedValue(value) {
      unlistedValue = value
    },
  }
  return { notes, unreadableItems, getUnlistedValue: () => unlistedValue }
}

/** Reads a parsed answer: undefined if it is not what was requested; `notes` gets what to record. */
export type ReadAnswer<Answer, T> = (answer: Answer, notes: AnswerNotes) => T | undefined

/** Shape of an answer of which only the status counts, or that is read item by item. */
export const ANY_ANSWER = z.unknown()

/** Parses the readable items of a list; notes the others one by one. */
export function parseItems<T>(shape: z.ZodType<T>, list: unknown, notes: AnswerNotes): T[] {
  return toItems(list).flatMap(item => {
    const parsed = shape.safeParse(item, { reportInput: true })
    if (parsed.success) return [parsed.data]
    notes.noteUnreadableItem(item, findUnlistedValue(parsed.error))
    return []
  })
}

/** One page of a list: its readable items, and the others as received. */
export type ParsedPage<T> = { items: T[]; unreadableItems: unknown[] }

/** Parses a page of a list; its unreadable items are noted and returned. */
export function parsePage<T>(shape: z.ZodType<T>, list: unknown, notes: AnswerNotes): ParsedPage<T> {
  const unreadableItems: unknown[] = []
  const noteUnreadableItem: AnswerNotes['noteUnreadableItem'] = (item, name) => {
    unreadableItems.push(item)
    notes.noteUnreadableItem(item, name)
  }
  return { items: parseItems(shape, list, { ...notes, noteUnreadableItem }), unreadableItems }
}

/** Collects the pages of a list. Of an item that is listed twice, the last version counts. */
export function createListCollector<T>(keyOf: (item: T) => string) {
  const items = new Map<string, T>()
  const unreadableItems = new Map<string, unknown>()
  const count = () => items.size + unreadableItems.size
  return {
    /** Adds a page; returns whether it has an item that no earlier page had. */
    addPage(page: ParsedPage<T>): boolean {
      const countBefore = count()
      for (const item of page.items) items.set(keyOf(item), item)
      for (const item of page.unreadableItems) unreadableItems.set(JSON.stringify(item), item)
      return count() > countBefore
    },
    getList: () => ({
      kind: 'found' as const,
      items: [...items.values()],
      unreadableItems: [...unreadableItems.values()],
    }),
  }
}

/** Treats anything but a list as one item, which no shape matches. */
function toItems(list: unknown): unknown[] {
  if (list == null) return []
  return Array.isArray(list) ? list : [list]
}

/** Finds the value outside a closed list if that is the only issue; otherwise `''`. */
export function findUnlistedValue({ issues: [issue, ...others] }: z.ZodError): string {
  const isUnlisted = issue?.code === 'invalid_value' && others.length === 0
  return isUnlisted && typeof issue.input === 'string' ? issue.input : ''
}
