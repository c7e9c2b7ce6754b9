import { wrap } from '@mikro-orm/core'
import { Charge, type HistoryEntry } from '../db/entities/charge.ts'
import type { Med } from '../db/entities/med.ts'
import { Movement } from '../db/entities/movement.ts'
import { Transfer } from '../db/entities/transfer.ts'
import { lockAlone, lockGate } from '../db/lock.ts'
import type { EntityManager } from '../db/orm.ts'
import { entitiesBy } from '../db/reading.ts'
import { type ChargeEvent, charge as chargeLife } from '../domain/charge.ts'
import type { Machine } from '../domain/machine.ts'
import { type MedEvent, med as medLife } from '../domain/med.ts'
import { shownInstant } from '../domain/time.ts'
import { type TransferEvent, transfer as transferLife } from '../domain/transfer.ts'

/** The charge under its row lock, with all that showing it needs, and the gate of its money: whoever moves some starts here. */
export async function lockCharge(em: EntityManager, uuid: string): Promise<Charge> {
  const charge = await lockAlone(em, Charge, uuid)
  await lockGate(em, charge.connection.uuid)
  await readMovement(em, charge.movement)
  await em.populate(charge, ['splits.recipient'])
  return charge
}

/** The transfer under its row lock, and the gate of its money. */
export async function lockTransfer(em: EntityManager, uuid: string): Promise<Transfer> {
  return behindTheGate(em, await lockAlone(em, Transfer, uuid))
}

/** The gate of a transfer's money, whose row is locked or new. */
export async function behindTheGate(em: EntityManager, transfer: Transfer): Promise<Transfer> {
  await lockGate(em, transfer.connection.uuid)
  await readMovement(em, transfer.movement)
  return transfer
}

/** A row that was read knows its movement by its key only; one that is new here knows it whole. */
async function readMovement(em: EntityManager, movement: Movement | null | undefined): Promise<void> {
  if (!movement || wrap(movement).isInitialized()) return
  await entitiesBy(em, Movement, { rest: 'where r.uuid = ?', values: [movement.uuid], refresh: true })
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
 * One step of a life, and the only writer of its state: the table decides from the state found under the row lock,
 * never from a remembered one. Throws where the table has no such step; ask `accepts` first.
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
  // The history tells what the outside saw change.
  if (row.history.at(-1)?.status !== status)
    row.history = [...row.history, { status, created_at: shownInstant(at) }]
}
