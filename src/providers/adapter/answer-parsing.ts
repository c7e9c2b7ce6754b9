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

/**
 * Picks the items that fit into a total together, and notes the others by `name`: nothing that exceeds a PIX was returned
 * of it. `total`: centavos; null where it is unknown, and every item fits.
 */
export function pickWithinTotal<Item>(
  items: Item[],
  total: number | null,
  centsOf: (item: Item) => number,
  notes: AnswerNotes,
  name = '',
): Item[] {
  let pickedCents = 0
  return items.filter(item => {
    const cents = centsOf(item)
    const isPossible = total === null || pickedCents + cents <= total
    if (isPossible) pickedCents += cents
    else notes.noteUnreadableItem(item, name)
    return isPossible
  })
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
