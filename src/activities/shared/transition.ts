import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Charge } from '../../db/entities/charge.ts'
import type { HistoryEntry } from '../../db/entities/columns.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { lockMoneyFor, lockRow } from '../../db/locks.ts'
import { batchQueries, noQuery, type Query } from '../../db/pipeline/query.ts'
import { queryAttempts } from '../../db/repositories/attempts.ts'
import { queryHasSplits } from '../../db/repositories/charges.ts'
import { ATTEMPT_MACHINES, type AttemptEvent } from '../../domain/providers/attempt.ts'
import type { StateMachine } from '../../domain/shared/state-machine.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'

/**
 * Locks a charge's row and the connection row of its balances, and loads what its presenter needs. Every transaction
 * that changes a charge's money starts with this lock.
 */
export async function lockCharge(em: EntityManager, uuid: string): Promise<Charge> {
  return (await lockChargeWithQuery(em, uuid, noQuery))[0]
}

/** Locks a charge like `lockCharge` and runs `more` after the lock, in the same batch where possible. */
export async function lockChargeWithQuery<More>(
  em: EntityManager,
  uuid: string,
  more: Query<More>,
): Promise<[Charge, More]> {
  const queries = batchQueries(lockMoneyFor(em, 'charge', uuid), queryHasSplits(uuid), more)
  const [charge, [, hasSplits, result]] = await lockRow(em, Charge, uuid, queries)
  if (hasSplits) await em.populate(charge, ['splits.recipient'])
  else if (!charge.splits.isInitialized()) charge.splits.hydrate([])
  return [charge, result]
}

/** Locks the charge that a PIX paid, like `lockCharge`; null where it paid none, even if it names one. */
export async function lockPaidCharge(em: EntityManager, pix: Movement): Promise<Charge | null> {
  if (!pix.chargeUuid) return null
  const paid = await em.count(Charge, { uuid: pix.chargeUuid, movement: pix.uuid })
  return paid > 0 ? lockCharge(em, pix.chargeUuid) : null
}

/** A transfer under its row lock, with all its attempts in the order in which they were made. */
export type LockedTransfer = { transfer: Transfer; attempts: Attempt[] }

/** Locks a transfer's row and the connection row of its balances. */
export async function lockTransfer(em: EntityManager, uuid: string): Promise<LockedTransfer> {
  return (await lockTransferWithQuery(em, uuid, noQuery))[0]
}

/** Locks a transfer like `lockTransfer` and runs `more` after the lock, in the same batch where possible. */
export async function lockTransferWithQuery<More>(
  em: EntityManager,
  uuid: string,
  more: Query<More>,
): Promise<[LockedTransfer, More]> {
  const attemptsQuery = queryAttempts(em, { operation: 'transfer', subjectUuid: uuid })
  const queries = batchQueries(lockMoneyFor(em, 'transfer', uuid), attemptsQuery, more)
  const [transfer, [, attempts, result]] = await lockRow(em, Transfer, uuid, queries)
  return [{ transfer, attempts }, result]
}

/** A row with the state of a machine, and where it has one, the history of its public status. */
type StatefulRow<State, Status extends string> = {
  state: State
  updatedAt: Date
  history?: HistoryEntry<Status>[]
}

/**
 * Applies an event to a row's state machine and returns the new state; the only writer of a state, which the entities
 * declare read-only. The caller holds the row lock, so that the table decides from the current state, never from one
 * read earlier. Throws where the table has no such transition: call `accepts` first.
 */
export function transition<State extends string, Status extends string, Event extends string>(
  row: StatefulRow<State, Status>,
  machine: StateMachine<State, Status, Event>,
  event: Event,
  at: Date,
): State {
  row.state = machine.next(row.state, event)
  row.updatedAt = at
  const status = machine.statusOf(row.state)
  // The history lists only changes of the public status.
  if (row.history && row.history.at(-1)?.status !== status)
    row.history = [...row.history, { status, created_at: formatTimestamp(at) }]
  return row.state
}

/**
 * Applies an event to a row whose status is its state, a movement or a split; the only writer of their statuses, which the
 * entities declare read-only. The caller holds the row lock of the operation that the row belongs to. Throws where the table has
 * no such step, which is a bug of the caller.
 */
export function transitionStatus<Status extends string, Event extends string>(
  row: { status: Status },
  machine: StateMachine<Status, Status, Event>,
  event: Event,
): void {
  row.status = machine.next(row.status, event)
}

/**
 * Applies an event to an attempt by the state table of its operation; the only writer of an attempt's state. The caller holds
 * the row lock of the operation. Throws where the table has no such step, which is a bug of the caller.
 */
export function transitionAttempt(attempt: Attempt, event: AttemptEvent): void {
  const row: { state: Attempt['state'] } = attempt
  row.state = ATTEMPT_MACHINES[attempt.operation].next(attempt.state, event)
}
