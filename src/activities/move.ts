import { attemptsOf } from '../db/attempts.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { Charge, type HistoryEntry } from '../db/entities/charge.ts'
import type { Med } from '../db/entities/med.ts'
import { Transfer } from '../db/entities/transfer.ts'
import { lockAlone, moneyOf } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { all, NOTHING, type Question, question } from '../db/questions.ts'
import { type ChargeEvent, charge as chargeLife } from '../domain/charge.ts'
import type { Machine } from '../domain/machine.ts'
import { type MedEvent, med as medLife } from '../domain/med.ts'
import { shownInstant } from '../domain/time.ts'
import { type TransferEvent, transfer as transferLife } from '../domain/transfer.ts'

/**
 * Locks a charge's row and the connection row of its balances, and loads what its presenter needs. Every change of its money
 * starts here.
 */
export async function lockCharge(em: EntityManager, uuid: string): Promise<Charge> {
  return (await lockChargeBeside(em, uuid, NOTHING))[0]
}

/** The same, and what else is to be known from then on. */
export async function lockChargeBeside<More>(
  em: EntityManager,
  uuid: string,
  more: Question<More>,
): Promise<[Charge, More]> {
  const beside = all(moneyOf(em, 'charge', uuid), splitsOf(uuid), more)
  const [charge, [, isSplit, heard]] = await lockAlone(em, Charge, uuid, beside)
  if (isSplit) await em.populate(charge, ['splits.recipient'])
  else if (!charge.splits.isInitialized()) charge.splits.hydrate([])
  return [charge, heard]
}

/** Whether a charge has splits; most have none. */
function splitsOf(chargeUuid: string): Question<boolean> {
  return question('select from split where charge_uuid = ? limit 1', [chargeUuid], rows => rows.length > 0)
}

/** A transfer under its row lock, and all its attempts in the order in which they were made. */
export type PixOut = { transfer: Transfer; attempts: Attempt[] }

/** Locks a transfer's row and the connection row of its balances. */
export async function lockTransfer(em: EntityManager, uuid: string): Promise<PixOut> {
  return (await lockTransferBeside(em, uuid, NOTHING))[0]
}

/** The same, and what else is to be known from then on. */
export async function lockTransferBeside<More>(
  em: EntityManager,
  uuid: string,
  more: Question<More>,
): Promise<[PixOut, More]> {
  const tried = attemptsOf(em, { operation: 'transfer', subjectUuid: uuid })
  const beside = all(moneyOf(em, 'transfer', uuid), tried, more)
  const [transfer, [, attempts, heard]] = await lockAlone(em, Transfer, uuid, beside)
  return [{ transfer, attempts }, heard]
}

export function moveCharge(charge: Charge, event: ChargeEvent, at: Date): void {
  move(chargeLife, charge, event, at)
}

export function moveTransfer(transfer: Transfer, event: TransferEvent, at: Date): void {
  move(transferLife, transfer, event, at)
}

export function moveMed(med: Med, event: MedEvent, at: Date): void {
  move(medLife, med, event, at)
}

type Living<State, Shown extends string> = { state: State; history: HistoryEntry<Shown>[]; updatedAt: Date }

/**
 * Applies an event to a row's state machine; the only writer of a state. The table decides from the state found under the row
 * lock, never from a remembered one. Throws where the table has no such transition; ask `accepts` first.
 */
function move<State extends string, Shown extends string, Event extends string>(
  life: Machine<State, Shown, Event>,
  row: Living<State, Shown>,
  event: Event,
  at: Date,
): void {
  row.state = life.next(row.state, event)
  row.updatedAt = at
  const status = life.shows(row.state)
  // The history holds changes of the shown status only.
  if (row.history.at(-1)?.status !== status)
    row.history = [...row.history, { status, created_at: shownInstant(at) }]
}
