import type { StatementEntry } from '../providers/provider.ts'
import { type AccountEntry, entryIdentityOf } from './account-entry.ts'

/**
 * What the balance of a provider account is read with when its first connection is added (SPEC §7). A balance has no list of what
 * is part of it, and a list may lag behind the balance: only what was listed then, or moved long before, is certainly part of it.
 */
export type Opening = {
  /** What moved before is part of the balance. */
  certainUntil: Date
  /** What moved from then on is not. */
  creditedSince: Date
  /** What the statement listed then, by `openingNameOf`. */
  listed: string[]
}

/** `uncertain`: neither the list nor the time says whether it is part of the opening balance: an operator decides. */
export type RelationToOpening = 'included' | 'uncertain' | 'later'

/** Relates a movement at the provider, by its `openingNameOf` and time, to the opening balance. */
export function relateToOpening(
  { certainUntil, creditedSince, listed }: Opening,
  movement: { name: string; at: string },
): RelationToOpening {
  const movedAt = Date.parse(movement.at)
  if (movedAt < certainUntil.getTime() || listed.includes(movement.name)) return 'included'
  return movedAt < creditedSince.getTime() ? 'uncertain' : 'later'
}

/** Names an entry of a statement, so that it is recognised in a later one. */
export function openingNameOf(entry: StatementEntry | AccountEntry): string {
  if ('kind' in entry) return entryIdentityOf(entry)
  return `${entry.direction}/${entry.endToEnd || entry.returnId}`
}
