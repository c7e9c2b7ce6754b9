import type { StatementEntry } from './provider.ts'

/** One of our movements that the rail knows by an end-to-end id. */
export type Ours = {
  endToEnd: string
  direction: 'IN' | 'OUT'
  cents: number
  /** ISO 8601 UTC; null while it is not settled. */
  settledAt: string | null
  status: 'PENDING' | 'SETTLED' | 'FAILED'
}

export type DifferenceKind = 'missing_here' | 'missing_there' | 'value_differs' | 'status_differs'

/** One end-to-end id on which the provider and we disagree; a side that lacks it is absent. */
export type Difference = {
  kind: DifferenceKind
  endToEnd: string
  direction: 'IN' | 'OUT'
  entry?: StatementEntry
  ours?: Ours
}

/**
 * Compares a provider's settled movements with ours, each known by direction and end-to-end id (SPEC §6). Ours that are
 * not settled are no claim, so only a settled one can be missing there.
 */
export function compare(
  theirs: StatementEntry[],
  ours: Ours[],
): { matched: number; differences: Difference[] } {
  const mine = new Map(ours.map(one => [keyOf(one), one]))
  const differences: Difference[] = []
  let matched = 0
  for (const entry of theirs) {
    const one = mine.get(keyOf(entry))
    mine.delete(keyOf(entry))
    const kind = differenceOf(entry, one)
    if (kind === null) matched += 1
    else differences.push({ kind, ...sides(entry, one) })
  }
  for (const one of mine.values())
    if (one.status === 'SETTLED')
      differences.push({ kind: 'missing_there', endToEnd: one.endToEnd, direction: one.direction, ours: one })
  return { matched, differences }
}

function differenceOf(entry: StatementEntry, one: Ours | undefined): DifferenceKind | null {
  if (!one) return 'missing_here'
  if (one.status !== 'SETTLED') return 'status_differs'
  return one.cents === entry.cents ? null : 'value_differs'
}

function sides(entry: StatementEntry, one: Ours | undefined) {
  return { endToEnd: entry.endToEnd, direction: entry.direction, entry, ...(one && { ours: one }) }
}

/** Whether an entry is of the movement that a difference is about. */
export function isOf(entry: StatementEntry, difference: Difference): boolean {
  return keyOf(entry) === keyOf(difference)
}

function keyOf({ direction, endToEnd }: { direction: string; endToEnd: string }): string {
  return `${direction}/${endToEnd}`
}
