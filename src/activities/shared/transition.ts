import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { Charge, type HistoryEntry } from '../../db/entities/charge.ts'
import type { Dispute } from '../../db/entities/med.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { lockMoneyFor, lockRow } from '../../db/locks.ts'
import { batchQueries, noQuery, type Query, query } from '../../db/pipeline/query.ts'
import { queryAttempts } from '../../db/repositories/attempts.ts'
import { type ChargeEvent, chargeMachine } from '../../domain/charges/charge.ts'
import { type DisputeEvent, disputeMachine } from '../../domain/disputes/dispute.ts'
import type { StateMachine } from '../../domain/shared/state-machine.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import { type TransferEvent, transferMachine } from '../../domain/transfers/transfer.ts'

/**
 * Locks a charge's row and the connection row of its balances, and loads what its presenter needs. Every change of its money
 * starts here.
 */
export async function lockCharge(em: EntityManager, uuid: string): Promise<Charge> {
  return (await lockChargeWithQuery(em, uuid, noQuery))[0]
}

/** The same, and what else is to be known from then on. */
export async function lockChargeWithQuery<More>(
  em: EntityManager,
  uuid: string,
  more: Query<More>,
): Promise<[Charge, More]> {
  const beside = batchQueries(lockMoneyFor(em, 'charge', uuid), queryHasSplits(uuid), more)
  const [charge, [, isSplit, heard]] = await lockRow(em, Charge, uuid, beside)
  if (isSplit) await em.populate(charge, ['splits.recipient'])
  else if (!charge.splits.isInitialized()) charge.splits.hydrate([])
  return [charge, heard]
}

/** Whether a charge has splits; most have none. */
function queryHasSplits(chargeUuid: string): Query<boolean> {
  return query('select from split where charge_uuid = ? limit 1', [chargeUuid], rows => rows.length > 0)
}

/** A transfer under its row lock, and all its attempts in the order in which they were made. */
export type LockedTransfer = { transfer: Transfer; attempts: Attempt[] }

/** Locks a transfer's row and the connection row of its balances. */
export async function lockTransfer(em: EntityManager, uuid: string): Promise<LockedTransfer> {
  return (await lockTransferWithQuery(em, uuid, noQuery))[0]
}

/** The same, and what else is to be known from then on. */
export async function lockTransferWithQuery<More>(
  em: EntityManager,
  uuid: string,
  more: Query<More>,
): Promise<[LockedTransfer, More]> {
  const tried = queryAttempts(em, { operation: 'transfer', subjectUuid: uuid })
  const beside = batchQueries(lockMoneyFor(em, 'transfer', uuid), tried, more)
  const [transfer, [, attempts, heard]] = await lockRow(em, Transfer, uuid, beside)
  return [{ transfer, attempts }, heard]
}

export function transitionCharge(charge: Charge, event: ChargeEvent, at: Date): void {
  transitionRow(chargeMachine, charge, event, at)
}

export function transitionTransfer(transfer: Transfer, event: TransferEvent, at: Date): void {
  transitionRow(transferMachine, transfer, event, at)
}

export function transitionDispute(med: Dispute, event: DisputeEvent, at: Date): void {
  transitionRow(disputeMachine, med, event, at)
}

type StatefulRow<State, Shown extends string> = {
  state: State
  history: HistoryEntry<Shown>[]
  updatedAt: Date
}

/**
 * Applies an event to a row's state machine; the only writer of a state. The table decides from the state found under the row
 * lock, never from a remembered one. Throws where the table has no such transition; ask `accepts` first.
 */
function transitionRow<State extends string, Shown extends string, Event extends string>(
  life: StateMachine<State, Shown, Event>,
  row: StatefulRow<State, Shown>,
  event: Event,
  at: Date,
): void {
  row.state = life.next(row.state, event)
  row.updatedAt = at
  const status = life.statusOf(row.state)
  // The history holds changes of the shown status only.
  if (row.history.at(-1)?.status !== status)
    row.history = [...row.history, { status, created_at: formatTimestamp(at) }]
}
