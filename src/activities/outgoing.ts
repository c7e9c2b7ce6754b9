import type { Attempt, Operation } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import type { Question } from '../db/questions.ts'
import type { FindSendingOutcome, Sending, SendOutcome } from '../domain/provider.ts'
import type { TransferState } from '../domain/transfer.ts'
import type { Provider } from '../providers/port.ts'
import type { LeftToDo } from './left-to-do.ts'

/**
 * Money on its way out, whatever its noun: a transfer, a refund, an unmatched PIX returned. One set of rules decides
 * what may be sent, what is asked and what an answer means (SPEC §6); the noun says what is held, settled or given back.
 */

/** What is known of a sending once its provider was told or asked. */
export type Sent =
  /** `returnsUnsaid`: whether its recipient gave anything back since was not to be learned. `transfer`: where one stands now. */
  | (LeftToDo & { kind: 'settled'; returnsUnsaid?: true; transfer?: TransferStanding })
  | { kind: 'in_process' }
  | (LeftToDo & { kind: 'rejected'; code: string; finality: 'other_may_help' | 'final' })
  | (LeftToDo & { kind: 'unreachable'; code: string })
  /** It may have arrived: only the same provider can tell, asked by our id. */
  | { kind: 'unknown'; code: string }
  /** Another attempt at it is live: it is the one to ask about. */
  | { kind: 'elsewhere'; connectionUuid: string }

export type TransferStanding = { state: TransferState; connectionUuid: string }

export type Asked =
  | Sent
  | { kind: 'absent'; settleWindowMs: number }
  /** Not even the attempt was stored, so nothing can have been sent. */
  | { kind: 'never_begun' }

/** `again`: its absence at the provider is proved, so the same id may be sent once more. */
export type SendOrder = { uuid: string; connectionUuid: string; again: boolean }
/**
 * `asked`: how often it was asked before, which decides when it is asked next. `unlessFinal`: an outcome that
 * is final is answered from its row; a notification or a late look-up asks the provider all the same.
 */
export type AskOrder = { uuid: string; connectionUuid: string; asked: number; unlessFinal?: boolean }

/** What a noun adds to the rules. Everything runs under its row's lock, in the transaction that keeps the attempt. */
export type Outgoing<Row extends Tried> = {
  operation: Exclude<Operation, 'issue'>
  /** `more` is asked in the message of the lock where that can be, and after it in any case. */
  lock<More>(em: EntityManager, uuid: string, more: Question<More>): Promise<[Row, More]>
  /** Why nothing of it is sent any more: its life is over. */
  over?(row: Row): string | null
  /** The row of the order, which says until when it may be taken. */
  orderOf?(row: Row): { takeBefore?: Date | null | undefined }
  /** Ends an order that was not taken in time. */
  notTaken?(em: EntityManager, row: Row): Promise<void>
  /** Holds the money and moves the life on; a refusal means that no provider is called. */
  begin(em: EntityManager, row: Row, by: By): Promise<{ code: string; message: string } | null>
  send(provider: Provider, row: Row, by: By): Promise<SendOutcome>
  /** Asks by our id; what else names it there is read without a lock, because it does not change. */
  find(
    provider: Provider,
    attempt: Pick<Attempt, 'subjectUuid' | 'reference'>,
    em: EntityManager,
  ): Promise<FindSendingOutcome>
  accepted(em: EntityManager, row: Row, sending: Sending): Promise<void>
  settled(em: EntityManager, row: Row, attempt: Attempt, sending: Sending): Promise<void>
  /** What may still happen to money that has settled: its recipient gives it back. */
  afterwards?(em: EntityManager, row: Row, attempt: Attempt, sending: Sending): Promise<void>
  /** Where a settled one stands, so that its life need not ask. */
  standing?(row: Row): { transfer: TransferStanding }
  /** Nothing moved, by the provider's definite word or because nothing left. */
  refused(em: EntityManager, row: Row, attempt: Attempt): Promise<void>
}
/** All attempts at it so far, in the order of trying. */
export type Tried = { attempts: Attempt[] }
export type By = { attempt: Attempt; connection: Connection }
