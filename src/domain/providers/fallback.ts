import type { RejectedResult } from './provider.ts'

/** Outcome of one candidate provider; of a payout only after its own provider has been polled until it is certain. */
export type CandidateOutcome =
  | { kind: 'accepted' | 'settled' | 'unreachable' | 'unknown' }
  | Pick<RejectedResult, 'kind' | 'finality'>

type Column = Exclude<CandidateOutcome['kind'], 'rejected'> | RejectedResult['finality']

/**
 * Whether the next provider is tried after an outcome of the one before. A payout moves on only where it is proved that
 * no money moved, and where the reason is not one of the payout itself (SPEC §4). A charge moves on after every outcome
 * but a payload: one that no payer was shown cannot be paid, and is cancelled (SPEC §2).
 */
const MAY_TRY_NEXT: Record<'charge' | 'payout', Record<Column, boolean>> = {
  charge: {
    accepted: false,
    settled: false,
    other_may_help: true,
    final: true,
    unreachable: true,
    unknown: true,
  },
  payout: {
    accepted: false,
    settled: false,
    other_may_help: true,
    final: false,
    unreachable: true,
    unknown: false,
  },
}

/** Tells whether the next provider is tried after this outcome of the one before; of a charge, after all but an accepted one. */
export function mayTryNext<Operation extends 'charge' | 'payout', Outcome extends CandidateOutcome>(
  operation: Operation,
  outcome: Outcome,
): outcome is Exclude<Outcome, Operation extends 'charge' ? { kind: 'accepted' } : never> {
  return MAY_TRY_NEXT[operation][outcome.kind === 'rejected' ? outcome.finality : outcome.kind]
}
