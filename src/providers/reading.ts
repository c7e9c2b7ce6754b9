import type { z } from 'zod'

/** What is to be recorded of an answer while it is read. */
export type ReadNotes = {
  /** One item of a list, which cannot be read and is left out of it; `name`: the value in it that no list of ours names. */
  leaveOut(item: unknown, name: string): void
  /** A status or type that no list of ours names, and that keeps the whole answer from being read. */
  unlisted(value: string): void
}

type LeftOut = { item: unknown; name: string }

export function readNotes(): { notes: ReadNotes; leftOut: readonly LeftOut[]; unlistedValue: () => string } {
  const leftOut: LeftOut[] = []
  let unlisted = ''
  return {
    leftOut,
    unlistedValue: () => unlisted,
    notes: {
      leaveOut: (item, name) => void leftOut.push({ item, name }),
      unlisted: value => {
        unlisted = value
      },
    },
  }
}

/** An answer in a documented shape, or undefined. A value outside a closed list is noted by its name. */
export function readShape<T>(shape: z.ZodType<T>, json: unknown, notes: ReadNotes): T | undefined {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  notes.unlisted(unlistedIn(parsed.error, json))
  return undefined
}

/** The items of a list that can be read; the others are noted one by one. */
export function readItems<T>(shape: z.ZodType<T>, list: unknown, notes: ReadNotes): T[] {
  return itemsOf(list).flatMap(item => {
    const parsed = shape.safeParse(item)
    if (parsed.success) return [parsed.data]
    notes.leaveOut(item, unlistedIn(parsed.error, item))
    return []
  })
}

/** How many items a list has, whether they can be read or not. */
export function lengthOf(list: unknown): number {
  return itemsOf(list).length
}

/** What is no list counts as one item, which no shape fits. */
function itemsOf(list: unknown): unknown[] {
  if (list == null) return []
  return Array.isArray(list) ? list : [list]
}

/** The one value outside a closed list, where nothing else is wrong; else `''`. */
function unlistedIn({ issues }: z.ZodError, json: unknown): string {
  const [issue, ...others] = issues
  if (issue?.code !== 'invalid_value' || others.length > 0) return ''
  let value = json
  for (const key of issue.path) value = (value as Record<PropertyKey, unknown>)[key]
  return typeof value === 'string' ? value : ''
}
