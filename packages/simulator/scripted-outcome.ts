/** The outcome of an accepted charge, transfer or refund. */
export type ScriptedOutcome =
  | { kind: 'settles' }
  | { kind: 'rejected'; code: string }
  /** A refund that is rejected, and carried out all the same `afterMs` later, without a notification. */
  | { kind: 'rejected_then_done'; code: string; afterMs: number }
  /** Settles after `forMs` in process, without a notification. */
  | { kind: 'silent'; forMs: number }
  /** Refused for lack of balance; an order that the provider stores is kept and can be approved. */
  | { kind: 'left' }
  /** As `left`; the order is removed after `afterMs`. */
  | { kind: 'left_then_removed'; afterMs: number }
  /** As `silent`, but a removal of the order is notified at once. */
  | { kind: 'silent_with_removal_event'; forMs: number }
  /** Accepted; the charge gets a txid of the provider's choice. */
  | { kind: 'own_txid' }
  /** Answered as accepted, and not applied: the charge stays as it was. */
  | { kind: 'revision_lost' }
  /** Refused: the draft of the transfer has expired. */
  | { kind: 'draft_expired' }

/** Tells whether an outcome settles without a notification. */
export function isSilentOutcome(
  outcome: ScriptedOutcome,
): outcome is Extract<ScriptedOutcome, { forMs: number }> {
  return outcome.kind === 'silent' || outcome.kind === 'silent_with_removal_event'
}

export const SETTLED_OUTCOME: ScriptedOutcome = { kind: 'settles' }
