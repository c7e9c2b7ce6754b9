import type { MovementStatus } from '../ledger/movement.ts'
import type { StatementEntry } from '../providers/provider.ts'

/** One of our movements that the rail knows. */
export type RecordedMovement = {
  /** '' of a return whose rail id was never reported. */
  endToEnd: string
  /** Of a return: what it returns, and the provider's id of it. */
  returnOf?: string
  returnId?: string
  direction: 'IN' | 'OUT'
  cents: number
  /** ISO 8601 UTC; null while it is not settled. */
  settledAt: string | null
  status: MovementStatus
}

export type DifferenceKind = 'missing_here' | 'missing_there' | 'value_differs' | 'status_differs'

/** SETTLED: a later comparison has not found it any more. CLOSED: an operator has closed it. */
export const DIFFERENCE_STATUSES = ['OPEN', 'SETTLED', 'CLOSED'] as const
export type DifferenceStatus = (typeof DIFFERENCE_STATUSES)[number]

/** One end-to-end id on which the provider and we disagree; a side that lacks it is absent. */
export type StatementDifference = {
  kind: DifferenceKind
  endToEnd: string
  direction: 'IN' | 'OUT'
  entry?: StatementEntry
  ours?: RecordedMovement
}

/**
 * Compares a provider's settled movements with ours, each known by direction and end-to-end id, a return also by what it
 * returns and the provider's id of it (SPEC §6). An entry that is listed twice counts once. Ours that are not settled are no
 * claim, so only a settled one can be missing there.
 */
export function compareStatement(
  entries: StatementEntry[],
  movements: RecordedMovement[],
): { matched: number; differences: StatementDifference[] } {
  const recordedByKey = new Map(
    movements.flatMap(movement => matchingKeysOf(movement).map(name => [name, movement] as const)),
  )
  const unmatched = new Set(movements)
  const listedNames = new Set<string>()
  const differences: StatementDifference[] = []
  let matched = 0
  for (const entry of entries) {
    const names = matchingKeysOf(entry)
    if (names.some(name => listedNames.has(name))) continue
    for (const name of names) listedNames.add(name)
    const movement = names
      .map(name => recordedByKey.get(name))
      .find(candidate => candidate !== undefined && unmatched.has(candidate))
    if (movement) unmatched.delete(movement)
    const kind = differenceKindOf(entry, movement)
    if (kind === null) matched += 1
    else differences.push({ kind, ...differenceSides(entry, movement) })
  }
  for (const ours of unmatched) {
    const { status, endToEnd, direction } = ours
    if (status === 'SETTLED' && endToEnd !== '')
      differences.push({ kind: 'missing_there', endToEnd, direction, ours })
  }
  return { matched, differences }
}

function differenceKindOf(
  entry: StatementEntry,
  movement: RecordedMovement | undefined,
): DifferenceKind | null {
  if (!movement) return 'missing_here'
  if (movement.status !== 'SETTLED') return 'status_differs'
  return movement.cents === entry.cents ? null : 'value_differs'
}

function differenceSides(entry: StatementEntry, movement: RecordedMovement | undefined) {
  return {
    endToEnd: displayIdOf(entry),
    direction: entry.direction,
    entry,
    ...(movement && { ours: movement }),
  }
}

/** Whether an entry is of the movement that a difference is about. */
export function isEntryOfDifference(entry: StatementEntry, difference: StatementDifference): boolean {
  return entry.direction === difference.direction && displayIdOf(entry) === difference.endToEnd
}

type MovementIds = Pick<StatementEntry, 'endToEnd' | 'direction' | 'returnOf' | 'returnId'>

/** The names by which it can be found on the other side. */
function matchingKeysOf(movement: MovementIds): string[] {
  const { direction, endToEnd, returnOf, returnId } = movement
  const names = returnOf && returnId ? [`${direction}/${returnOf}/${returnId}`] : []
  return endToEnd === '' ? names : [...names, `${direction}/${endToEnd}`]
}

/** What it is called where it is shown: a return without a rail id by what it returns, a PIX without any id by its facts. */
function displayIdOf({ endToEnd, returnOf, returnId = '', at, cents }: StatementEntry): string {
  return endToEnd || (returnOf === undefined ? `${at}/${cents}` : `${returnOf}/${returnId}`)
}

/** What a provider says it holds and what the ledger says is there; of the latter, `movingCents` is under way. */
export type BalanceComparison = { providerCents: number; ledgerCents: number; movingCents: number }

/** Whether both agree: what is under way may have left the provider's balance already, or not have reached it yet. */
export function isBalanceExplained({ providerCents, ledgerCents, movingCents }: BalanceComparison): boolean {
  return providerCents <= ledgerCents && providerCents >= ledgerCents - movingCents
}

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
