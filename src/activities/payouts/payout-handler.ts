import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt, AttemptOperation } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { Query } from '../../db/pipeline/query.ts'
import type { FindPayoutOutcome, ProviderPayout, SendPayoutOutcome } from '../../domain/providers/provider.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'
import type { Provider } from '../../providers/port.ts'
import type { FollowUps } from '../events/follow-ups.ts'

/**
 * Payouts: what a transfer, a refund and a return of an unmatched PIX share. One set of rules decides what may be sent, what is
 * polled and what an answer means (SPEC §6); each noun supplies what is held, settled or released.
 */

/** Outcome of a payout at one provider, after sending or polling. */
export type SendResult =
  /** `returnsUnknown`: the look-up of its returns failed. `transfer`: its state, for a transfer. */
  | (FollowUps & { kind: 'settled'; returnsUnknown?: true; transfer?: TransferSnapshot })
  | { kind: 'in_process' }
  | (FollowUps & { kind: 'rejected'; code: string; finality: 'other_may_help' | 'final' })
  | (FollowUps & { kind: 'unreachable'; code: string })
  /** It may have arrived: only the same provider is polled, by our id. */
  | { kind: 'unknown'; code: string }
  /** Another attempt at it is live, at this connection: that one is to be polled. */
  | { kind: 'redirect'; connectionUuid: string }

export type TransferSnapshot = { state: TransferState; connectionUuid: string }

export type PollResult =
  | SendResult
  | { kind: 'not_found'; settleWindowMs: number }
  /** No attempt was stored, so nothing can have been sent. */
  | { kind: 'not_started' }

/** `again`: its absence at the provider is proved, so the same id may be sent once more. */
export type SendPayoutInput = { uuid: string; connectionUuid: string; isResend: boolean }
/**
 * `asked`: number of polls before, which decides when it is polled next. `canAnswerFromRow`: a final outcome is answered from its
 * row; a notification or a late look-up polls the provider all the same.
 */
export type PollPayoutInput = {
  uuid: string
  connectionUuid: string
  pollCount: number
  canAnswerFromRow?: boolean
}

/** What a noun adds to the rules. All of it runs under its row lock, in the transaction that stores the attempt. */
export type PayoutHandler<Row extends AttemptedRow> = {
  operation: Exclude<AttemptOperation, 'issue'>
  /** Locks the row. `more` is batched with the lock where possible, and runs after it in any case. */
  lock<More>(em: EntityManager, uuid: string, more: Query<More>): Promise<[Row, More]>
  /** Code of why nothing is sent any more: it is in a final state. */
  closedReason?(row: Row): string | null
  /** The row of the order, with its acceptance deadline. */
  getOrder?(row: Row): { takeBefore?: Date | null | undefined }
  /** Ends an order whose acceptance deadline has passed. */
  endUnaccepted?(em: EntityManager, row: Row): Promise<void>
  /** Holds the money and applies the event; a refusal means that no provider is called. */
  holdFunds(em: EntityManager, row: Row, by: PayoutAttempt): Promise<{ code: string; message: string } | null>
  send(provider: Provider, row: Row, by: PayoutAttempt): Promise<SendPayoutOutcome>
  /** Polls by our id; other ids that name it there are read without a lock, because they do not change. */
  find(
    provider: Provider,
    attempt: Pick<Attempt, 'subjectUuid' | 'reference'>,
    em: EntityManager,
  ): Promise<FindPayoutOutcome>
  applyAcceptance(em: EntityManager, row: Row, sending: ProviderPayout): Promise<void>
  applySettlement(em: EntityManager, row: Row, attempt: Attempt, sending: ProviderPayout): Promise<void>
  /** Records what follows a settlement: returns by the recipient. */
  afterSettlement?(em: EntityManager, row: Row, attempt: Attempt, sending: ProviderPayout): Promise<void>
  /** State of a settled one, so that its workflow needs no further read. */
  getSnapshot?(row: Row): { transfer: TransferSnapshot }
  /** Nothing moved: the provider refused, or the request never left. */
  applyRefusal(em: EntityManager, row: Row, attempt: Attempt): Promise<void>
}
/** All attempts so far, in the order in which they were made. */
export type AttemptedRow = { attempts: Attempt[] }
export type PayoutAttempt = { attempt: Attempt; connection: Connection }
