import type { StatementDifference } from './statement-comparison.ts'

/** Named causes of a resolved difference. */
export const DIFFERENCE_CAUSES = [
  /** An approved adjustment of the ledger accounts for it. */
  'adjusted',
  /** The provider has corrected its books. */
  'corrected_by_provider',
  /** The same PIX is recorded under another id. */
  'recorded_under_other_id',
  /** The provider has settled it, and its list leaves it out. */
  'absent_from_list',
] as const
export type DifferenceCause = (typeof DIFFERENCE_CAUSES)[number]

/** How an operator closes a difference: its cause is known, or it is accepted without one. No money moves by it. */
export type DifferenceClosing = { as: 'resolved'; cause: DifferenceCause } | { as: 'accepted'; cause: null }

/**
 * Returns the facts of a difference as a text to compare: a closing holds for these amounts and this status only, as
 * `difference_facts` of PostgreSQL does it.
 */
export function factsOfDifference({ entry, ours }: Pick<StatementDifference, 'entry' | 'ours'>): string {
  return [entry?.cents, ours?.cents, ours?.status].map(fact => fact ?? '-').join('/')
}
