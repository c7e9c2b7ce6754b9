import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { Query } from '../../db/pipeline/query.ts'
import type { OrderedPayout } from '../../domain/payouts/ordered-payout.ts'
import type { AttemptOperation } from '../../domain/providers/attempt.ts'
import type {
  AwaitedTurn,
  FindPayoutOutcome,
  PayoutHandle,
  PreparePayoutOutcome,
  ProviderPayout,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import type { Provider } from '../../providers/port.ts'
import type { TransferSnapshot } from '../../workflows/contracts/payouts.ts'
import type { AcceptableOrder } from './acceptance-deadline.ts'

/**
 * Supplies what is held, settled or released by one kind of payout: a transfer, a refund, or a return of an unmatched PIX. What may
 * be sent, what is polled and what an answer means is decided for all of them alike (SPEC §6). Every method except `prepare`, `send`,
 * `find` and `mayShowLaterPayout` runs under the row lock of `lock`, in the transaction that stores the attempt.
 */
export type PayoutHandler<Row extends AttemptedRow> = {
  operation: Exclude<AttemptOperation, 'issue'>
  /** Locks the row. `more` is batched with the lock where possible, and runs after it in any case. */
  lock<More>(em: EntityManager, uuid: string, more: Query<More>): Promise<[Row, More]>
  /** Code of why the payout may not be sent any more: its row is in a final state. */
  closedReason?(row: Row): string | null
  /** Whether it is an item of a batch, which leaves the pace of its provider to other orders. */
  isBatchItem?(row: Row): boolean
  /** What was ordered: a payout that a provider reports under our id is compared with it. */
  getOrdered(row: Row): OrderedPayout
  /** The row of the order, with its acceptance deadline. */
  getOrder?(row: Row): AcceptableOrder | undefined
  /** Ends an order whose acceptance deadline has passed. */
  endUnaccepted?(em: EntityManager, row: Row): Promise<void>
  /**
   * Holds the money and applies the event; a refusal means that no provider is called. `isPossiblySent`: it may have left
   * already, so no limit of the account refuses it.
   */
  holdFunds(
    em: EntityManager,
    row: Row,
    connection: Connection,
    isPossiblySent?: true,
  ): Promise<HoldRefusal | null>
  /** Tells whether the payout is prepared before it is sent: its provider carries out prepared ones only, or its receiver is checked. */
  needsPreparation(provider: Provider, row: Row): boolean
  /** Asks the provider to prepare the payout, which moves nothing; only where `needsPreparation`. `isFirst`: it was not asked before. */
  prepare(
    provider: Provider,
    row: Row,
    payoutAttempt: PayoutAttempt & { isFirst: boolean },
  ): Promise<PreparePayoutOutcome>
  /** Sends once; `handle`: what its preparation returned. */
  send(
    provider: Provider,
    row: Row,
    payoutAttempt: PayoutAttempt & { handle: PayoutHandle | undefined },
  ): Promise<SendPayoutOutcome>
  /** Polls by our id, or by the handle; what else it needs is read without a lock, because it does not change. */
  find(provider: Provider, payout: PayoutToFind, em: EntityManager): Promise<FindPayoutOutcome>
  /**
   * Tells whether what the provider shows for an ended attempt may be a payout that was made after it. Asked once the provider has
   * answered, so that it holds for what the answer shows; takes no lock.
   */
  mayShowLaterPayout?(em: EntityManager, attempt: Attempt, connection: Connection): Promise<boolean>
  applyAcceptance(em: EntityManager, row: Row, payout: ProviderPayout): Promise<void>
  applySettlement(em: EntityManager, row: Row, attempt: Attempt, payout: ProviderPayout): Promise<void>
  /** Records what follows a settlement: returns by the recipient. */
  afterSettlement?(em: EntityManager, row: Row, attempt: Attempt, payout: ProviderPayout): Promise<void>
  /** State of a settled transfer, so that its workflow needs no further read. */
  getSnapshot?(row: Row): { transfer: TransferSnapshot }
  /** Applies a refusal: no money moved, because the provider refused or the request never left the worker. */
  applyRefusal(em: EntityManager, row: Row, attempt: Attempt): Promise<void>
}
/**
 * Why money is not held. By default another provider may hold it; `final`: none may. `missingCents`: by how much the available balance
 * was too low, where that is why.
 */
export type HoldRefusal = { code: string; message: string; finality?: 'final'; missingCents?: number }
/** All attempts so far, in the order in which they were made. */
export type AttemptedRow = { attempts: Attempt[] }
/** `repeatThrough`: the connection whose provider may be sent the same transfer again, where that is how it is looked up. */
type PayoutToFind = Pick<Attempt, 'subjectUuid'> & {
  handle?: PayoutHandle | undefined
  repeatThrough?: Connection | undefined
}
type PayoutAttempt = { attempt: Attempt; connection: Connection; turn: AwaitedTurn }
