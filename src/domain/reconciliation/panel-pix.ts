import { uuidFromReference } from '../pix/identifiers.ts'
import type { StatementEntry } from '../providers/provider.ts'
import { DAY, scaleWait } from '../shared/intervals.ts'

/**
 * How long a PIX that only the provider's statement knows is left to the workflow or the notification that may still
 * account for it. Scaled like every wait (src/domain/shared/intervals.ts).
 */
const PANEL_PIX_WAIT_MS = DAY
/**
 * How long a return waits for the decision of its PIX's dispute: the rail decides a dispute and returns the money within
 * eleven days of its opening.
 */
const UNDECIDED_DISPUTE_WAIT_MS = 11 * DAY

/** Why a PIX that only the statement knows is not booked as one of the panel. */
export type PanelPixPendingReason =
  /** It carries an id in the form of ours: a workflow accounts for it, or an operator adjusts. */
  | 'has_our_reference'
  /** It returns a transfer of ours: that transfer's workflow accounts for it. */
  | 'returns_our_transfer'
  /** A payout of ours with the same value has no outcome yet, or is settled and not in the statement by its id. */
  | 'may_be_our_payout'
  /** A dispute about the PIX that it returns is undecided: the dispute's workflow accounts for it. */
  | 'has_open_dispute'
  /** That dispute is undecided for longer than the rail allows: the provider may have returned the money by it. */
  | 'has_overdue_dispute'
  /** Its id is recorded in the other direction: one of both is wrong, or the PIX stayed within the provider account. */
  | 'recorded_in_other_direction'
  /** The provider names neither an id of the rail nor one of its own, so a repeat cannot be recognised. */
  | 'no_end_to_end'
  /** It may be part of the opening balance of its provider account. */
  | 'near_opening'
  /** An adjustment without an entry, of its value and approved after it moved, may have booked it. */
  | 'may_be_adjusted'
  /** It is younger than the wait. */
  | 'too_young'

/** Waits that end by themselves or have another alert: not counted as differences yet. */
export const TRANSIENT_PENDING_REASONS = [
  'too_young',
  'may_be_our_payout',
  'has_open_dispute',
] as const satisfies PanelPixPendingReason[]

/** What our rows say about such a PIX. */
export type PanelPixFacts = {
  isRecordedInOtherDirection: boolean
  returnsOurTransfer: boolean
  /** A dispute about the PIX that it returns is open or under analysis, and none is accepted. */
  hasUndecidedDispute: boolean
  mayBeOurPayout: boolean
  isNearOpening: boolean
  mayBeAdjusted: boolean
  nowMs: number
  timeScale: number
}

/** Null: nothing of ours can account for it any more, so it moved without us. */
export function panelPixPendingReasonOf(
  entry: StatementEntry,
  facts: PanelPixFacts,
): PanelPixPendingReason | null {
  if (!hasRailIdShape(entry.endToEnd) && !(entry.endToEnd === '' && entry.returnId)) return 'no_end_to_end'
  if (entry.reference !== null && uuidFromReference(entry.reference) !== null) return 'has_our_reference'
  if (facts.isRecordedInOtherDirection) return 'recorded_in_other_direction'
  if (facts.isNearOpening) return 'near_opening'
  if (facts.returnsOurTransfer) return 'returns_our_transfer'
  const isYoungerThan = (waitMs: number) =>
    facts.nowMs - Date.parse(entry.at) < scaleWait(waitMs, facts.timeScale)
  if (facts.hasUndecidedDispute)
    return isYoungerThan(UNDECIDED_DISPUTE_WAIT_MS) ? 'has_open_dispute' : 'has_overdue_dispute'
  if (facts.mayBeAdjusted) return 'may_be_adjusted'
  if (facts.mayBeOurPayout) return 'may_be_our_payout'
  return isYoungerThan(PANEL_PIX_WAIT_MS) ? 'too_young' : null
}

/** As the Central Bank's Pix API has it (`endToEndId`, `rtrId`). */
function hasRailIdShape(text: string): boolean {
  return /^[a-zA-Z0-9]{32}$/.test(text)
}
