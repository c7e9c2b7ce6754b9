import type { Attempt, Operation } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import type { Question } from '../db/questions.ts'
import type { FindSendingOutcome, Sending, SendOutcome } from '../domain/provider.ts'
import type { TransferState } from '../domain/transfer.ts'
import type { Provider } from '../providers/port.ts'
import type { LeftToDo } from './left-to-do.ts'

/**
 * Payouts: what a transfer, a refund and a return of an unmatched PIX share. One set of rules decides what may be sent, what is
 * polled and what an answer means (SPEC §6); each noun supplies what is held, settled or released.
 */

/** Outcome of a payout at one provider, after sending or polling. */
export type Sent =
  /** `returnsUnsaid`: the look-up of its returns failed. `transfer`: its state, for a transfer. */
  | (LeftToDo & { kind: 'settled'; returnsUnsaid?: true; transfer?: TransferStanding })
  | { kind: 'in_process' }
  | (LeftToDo & { kind: 'rejected'; code: string; finality: 'other_may_help' | 'final' })
  | (LeftToDo & { kind: 'unreachable'; code: string })
  /** It may have arrived: only the same provider is polled, by our id. */
  | { kind: 'unknown'; code: string }
  /** Another attempt at it is live, at this connection: that one is to be polled. */
  | { kind: 'elsewhere'; connectionUuid: string }

export type TransferStanding = { state: TransferState; connectionUuid: string }

export type Asked =
  | Sent
  | { kind: 'absent'; settleWindowMs: number }
  /** No attempt was stored, so nothing can have been sent. */
  | { kind: 'never_begun' }

/** `again`: its absence at the provider is proved, so the same id may be sent once more. */
export type SendOrder = { uuid: string; connectionUuid: string; again: boolean }
/**
 * `asked`: number of polls before, which decides when it is polled next. `unlessFinal`: a final outcome is answered from its
 * row; a notification or a late look-up polls the provider all the same.
 */
export type AskOrder = { uuid: string; connectionUuid: string; asked: number; unlessFinal?: boolean }

/** What a noun adds to the rules. All of it runs under its row lock, in the transaction that stores the attempt. */
export type Outgoing<Row extends Tried> = {
  operation: Exclude<Operation, 'issue'>
  /** Locks the row. `more` is batched with the lock where possible, and runs after it in any case. */
  lock<More>(em: EntityManager, uuid: string, more: Question<More>): Promise<[Row, More]>
  /** Code of why nothing is sent any more: it is in a final state. */
  over?(row: Row): string | null
  /** The row of the order, with its acceptance deadline. */
  orderOf?(row: Row): { takeBefore?: Date | null | undefined }
  /** Ends an order whose acceptance deadline has passed. */
  notTaken?(em: EntityManager, row: Row): Promise<void>
  /** Holds the money and applies the event; a refusal means that no provider is called. */
  begin(em: EntityManager, row: Row, by: By): Promise<{ code: string; message: string } | null>
  send(provider: Provider, row: Row, by: By): Promise<SendOutcome>
  /** Polls by our id; other ids that name it there are read without a lock, because they do not change. */
  find(
    provider: Provider,
    attempt: Pick<Attempt, 'subjectUuid' | 'reference'>,
    em: EntityManager,
  ): Promise<FindSendingOutcome>
  accepted(em: EntityManager, row: Row, sending: Sending): Promise<void>
  settled(em: EntityManager, row: Row, attempt: Attempt, sending: Sending): Promise<void>
  /** Records what follows a settlement: returns by the recipient. */
  afterwards?(em: EntityManager, row: Row, attempt: Attempt, sending: Sending): Promise<void>
  /** State of a settled one, so that its workflow needs no further read. */
  standing?(row: Row): { transfer: TransferStanding }
  /** Nothing moved: the provider refused, or the request never left. */
  refused(em: EntityManager, row: Row, attempt: Attempt): Promise<void>
}
/** All attempts so far, in the order in which they were made. */
export type Tried = { attempts: Attempt[] }
export type By = { attempt: Attempt; connection: Connection }
