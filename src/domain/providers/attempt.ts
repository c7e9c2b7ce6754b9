import { createStateMachine, type StateMachine } from '../shared/state-machine.ts'

/**
 * State tables of the attempts at an operation: one row for each provider that is called, stored before its call. What an
 * attempt proves decides whether money, or a code that can be paid, may go to the next provider (SPEC §6).
 */

/** An attempt as the operator's page showed it: its uuid, and how often it had been sent. */
export type AttemptVersion = { attempt: string; sending: number }

export const ATTEMPT_OPERATIONS = [
  'issue',
  'transfer',
  'refund',
  'return',
  'create_key',
  'delete_key',
  'create_recurrence',
] as const
export type AttemptOperation = (typeof ATTEMPT_OPERATIONS)[number]

/**
 * `preparing`: nothing has been sent: its provider is asked to prepare the payout, which moves nothing, or the payout waits for its turn in
 * the pace of the provider; `calling` until the outcome is stored; `orphan`: a payload that may exist and was shown to no client; `closed`: an
 * orphan that its provider has confirmed removed; `duplicate`: a sending that settled after another provider had been
 * tried.
 */
export type AttemptState =
  | 'preparing'
  | 'calling'
  | 'accepted'
  | 'settled'
  | 'rejected'
  | 'unreachable'
  | 'unknown'
  | 'orphan'
  | 'closed'
  | 'duplicate'

/**
 * `preparation_started`: the provider may be asked to prepare the payout now; `paced`: the call was not made, because the pace of the
 * provider left no room for it, and the payout waits for its turn; `called`: the request may leave now; `not_reached`: it did not arrive at the provider, or was not made; `unanswered`: it
 * may have been carried out; `superseded`: a look-up has found the payout at another provider.
 */
export type AttemptEvent =
  | 'preparation_started'
  | 'paced'
  | 'called'
  | 'accepted'
  | 'refused'
  | 'not_reached'
  | 'unanswered'
  | 'settled'
  | 'settled_twice'
  | 'superseded'
  | 'orphaned'
  | 'removed'

/** What an attempt proves: nothing yet, that the provider has done it, or that it has not. */
export type AttemptProof = 'open' | 'done' | 'not_done'

type AttemptMachine = StateMachine<AttemptState, AttemptProof, AttemptEvent>
type PaidOutState = 'settled' | 'duplicate'
type PayoutOnlyState = 'preparing' | PaidOutState
type KeyAttemptState = Exclude<AttemptState, 'orphan' | 'closed' | PayoutOnlyState>

const ANSWERED = {
  accepted: 'accepted',
  refused: 'rejected',
  not_reached: 'unreachable',
  unanswered: 'unknown',
} as const
const PAID_OUT = { settled: 'settled', settled_twice: 'duplicate' } as const
const LIVE = { called: 'calling', ...ANSWERED, ...PAID_OUT, superseded: 'unreachable' } as const
const STARTED_AGAIN = {
  preparation_started: 'preparing',
  called: 'calling',
  refused: 'rejected',
  not_reached: 'unreachable',
  unanswered: 'unknown',
  ...PAID_OUT,
} as const

/**
 * Attempts at a payout. What a provider has accepted is not sent again. An attempt that ended unsettled may begin again
 * (`canStartAttempt`), and a look-up may find that its provider has the payout; a settlement is recorded whenever it is
 * reported, and is never taken back. What may have been sent is never prepared anew: another preparation would be another payment. Only a
 * call that was not made goes back to `preparing`, which PostgreSQL refuses for what was ever sent (`attempt_prepared_unsent`).
 */
const payoutAttemptMachine = createStateMachine<
  Exclude<AttemptState, 'orphan' | 'closed'>,
  AttemptProof,
  AttemptEvent
>({
  preparing: { status: 'open', on: { preparation_started: 'preparing', paced: 'preparing', ...LIVE } },
  calling: { status: 'open', on: { paced: 'preparing', ...LIVE } },
  unknown: { status: 'open', on: LIVE },
  accepted: {
    status: 'open',
    on: { accepted: 'accepted', refused: 'rejected', ...PAID_OUT, superseded: 'unreachable' },
  },
  rejected: { status: 'not_done', on: STARTED_AGAIN, isFinal: true },
  unreachable: { status: 'not_done', on: STARTED_AGAIN, isFinal: true },
  settled: { status: 'done', on: {}, isFinal: true },
  duplicate: { status: 'done', on: {}, isFinal: true },
})

/**
 * Attempts to issue a charge. Runs of the activity may overlap: the first payload that is stored while the charge has none
 * is the charge's, and every other call that may have made one is an orphan until its provider has removed it.
 */
const ISSUED_ONCE = { accepted: 'accepted', orphaned: 'orphan' } as const
const issueAttemptMachine = createStateMachine<
  Exclude<AttemptState, 'unknown' | PayoutOnlyState>,
  AttemptProof,
  AttemptEvent
>({
  calling: { status: 'open', on: { ...ISSUED_ONCE, refused: 'rejected', not_reached: 'unreachable' } },
  accepted: { status: 'done', on: {}, isFinal: true },
  rejected: { status: 'not_done', on: ISSUED_ONCE, isFinal: true },
  unreachable: { status: 'not_done', on: ISSUED_ONCE, isFinal: true },
  orphan: { status: 'open', on: { ...ISSUED_ONCE, removed: 'closed' } },
  closed: { status: 'not_done', on: {}, isFinal: true },
})

/** Attempts to create a key, which is requested once: its provider takes no id of ours. */
const keyCreationMachine = createStateMachine<KeyAttemptState, AttemptProof, AttemptEvent>({
  calling: { status: 'open', on: ANSWERED },
  unknown: { status: 'open', on: ANSWERED },
  accepted: { status: 'done', on: {}, isFinal: true },
  rejected: { status: 'not_done', on: {}, isFinal: true },
  unreachable: { status: 'not_done', on: {}, isFinal: true },
})

/** Attempts to remove a key: the request is idempotent at the provider, and a refused one may be made again. */
const keyRemovalMachine = createStateMachine<KeyAttemptState, AttemptProof, AttemptEvent>({
  calling: { status: 'open', on: { called: 'calling', ...ANSWERED } },
  unknown: { status: 'open', on: { called: 'calling', ...ANSWERED } },
  accepted: { status: 'done', on: {}, isFinal: true },
  rejected: { status: 'not_done', on: { called: 'calling' }, isFinal: true },
  unreachable: { status: 'not_done', on: { called: 'calling' }, isFinal: true },
})

/**
 * Attempts to create a recurrence, which moves no money. One whose answer is lost is looked up first, and is called again at its provider
 * alone once it is proved absent there: two recurrences would debit the payer twice.
 */
const recurrenceAttemptMachine = createStateMachine<KeyAttemptState, AttemptProof, AttemptEvent>({
  calling: { status: 'open', on: { called: 'calling', ...ANSWERED } },
  unknown: { status: 'open', on: { called: 'calling', ...ANSWERED } },
  accepted: { status: 'done', on: {}, isFinal: true },
  rejected: { status: 'not_done', on: {}, isFinal: true },
  unreachable: { status: 'not_done', on: {}, isFinal: true },
})

/** The state table of the attempts at each operation. */
export const ATTEMPT_MACHINES: Record<AttemptOperation, AttemptMachine> = {
  issue: issueAttemptMachine,
  transfer: payoutAttemptMachine,
  refund: payoutAttemptMachine,
  return: payoutAttemptMachine,
  create_key: keyCreationMachine,
  delete_key: keyRemovalMachine,
  create_recurrence: recurrenceAttemptMachine,
}

type AttemptOf = { operation: AttemptOperation; state: AttemptState }

/** Tells whether an attempt has ended: its provider has nothing of it under way, as far as it has answered. */
export function isEndedAttempt({ operation, state }: AttemptOf): boolean {
  return ATTEMPT_MACHINES[operation].isFinal(state)
}

/** Reads what an attempt proves from its state. */
export function proofOf({ operation, state }: AttemptOf): AttemptProof {
  return ATTEMPT_MACHINES[operation].statusOf(state)
}
