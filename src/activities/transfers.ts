import { randomUUID } from 'node:crypto'
import type { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import { Movement } from '../db/entities/movement.ts'
import type { Failure, Transfer } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable, post } from '../db/post.ts'
import { goneUncovered, type Leg, transferHeld, transferReleased, transferSettled } from '../domain/ledger.ts'
import { feeOf } from '../domain/money.ts'
import type { Sending } from '../domain/provider.ts'
import { transfer as life } from '../domain/transfer.ts'
import { announceMovement, announceTransfer } from './announce.ts'
import { partyOf } from './connections.ts'
import { lockTransfer, moveTransfer } from './move.ts'
import type { By, Outgoing } from './outgoing.ts'
import { takeReturns } from './transfer-returns.ts'

/** A PIX Out, through one provider after another until one takes it (SPEC §4, §6). */
export const pixOut: Outgoing<Transfer> = {
  operation: 'transfer',
  lock: lockTransfer,

  /** Leaving one provider for the next is one transaction: the old hold is given back, the new one taken. */
  async begin(em, transfer, by) {
    await releaseHold(em, transfer)
    const feeCents = feeOf(transfer.valueCents, by.connection.fees.transfer)
    const { accountUuid } = transfer
    const { providerAccountUuid } = by.connection
    transfer.connection = by.connection
    transfer.providerAccountUuid = providerAccountUuid
    transfer.sender = partyOf(by.connection)
    transfer.feeCents = feeCents
    if (transfer.state === 'created') moveTransfer(transfer, 'sending_started', new Date())
    if ((await lockAvailable(em, { accountUuid, providerAccountUuid })) < transfer.valueCents + feeCents)
      return { code: 'insufficient_balance', message: 'the available balance does not cover value and fee' }
    await hold(em, transfer)
    return null
  },

  send(provider, transfer, { attempt, connection }: By) {
    return provider.sendTransfer({
      id: attempt.reference,
      cents: transfer.valueCents,
      pixKey: transfer.pixKey,
      document: transfer.document ?? null,
      payerKey: connection.collectionKey ?? null,
    })
  },

  find(provider, _transfer, attempt) {
    return provider.findTransfer(attempt.reference)
  },

  async accepted(_em, transfer, sending) {
    if (transfer.state !== 'sending') return
    know(transfer, sending)
    moveTransfer(transfer, 'accepted', new Date())
  },

  async settled(em, transfer, attempt, sending) {
    if (life.accepts(transfer.state, 'accepted')) await pixOut.accepted(em, transfer, sending)
    const mine = transfer.connection.uuid === attempt.connectionUuid
    if (mine && life.accepts(transfer.state, 'settled')) await settle(em, transfer, sending)
    else if (life.accepts(transfer.state, 'settled_late')) await settleLate(em, transfer, attempt, sending)
    else if (!mine) return settleTwice(em, transfer, attempt, sending)
    attempt.state = 'settled'
  },

  afterwards(em, transfer, sending) {
    return takeReturns(em, transfer, sending.returns ?? [])
  },

  /** Another provider may follow, so the hold stays until it begins or nobody is left; after an acceptance nobody is. */
  async refused(em, transfer, attempt) {
    if (transfer.state !== 'settling' || transfer.connection.uuid !== attempt.connectionUuid) return
    await endUnsent(em, transfer, 'rejected', {
      code: attempt.code ?? 'rejected',
      message: attempt.message ?? 'the provider rejected the transfer',
      provider: transfer.connection.provider,
      ...(attempt.providerCode && { provider_code: attempt.providerCode }),
    })
  },
}

/** Ends a transfer of which nothing moved: its hold goes back, its failure is kept and announced. */
export async function endUnsent(
  em: EntityManager,
  transfer: Transfer,
  event: 'refused' | 'rejected' | 'not_taken' | 'cancelled' | 'never_sent',
  failure: Failure | null,
): Promise<void> {
  const at = new Date()
  await releaseHold(em, transfer)
  transfer.failure = failure
  moveTransfer(transfer, event, at)
  await announceTransfer(em, transfer, { at })
}

async function hold(em: EntityManager, transfer: Transfer): Promise<void> {
  const held = transfer.valueCents + transfer.feeCents
  transfer.movement = await newMovement(em, transfer, {
    connectionUuid: transfer.connection.uuid,
    providerAccountUuid: transfer.providerAccountUuid,
  })
  transfer.heldCents = held
  await book(em, transfer.movement, transferHeld(transfer.accountUuid, held))
}

async function releaseHold(em: EntityManager, transfer: Transfer): Promise<void> {
  if (transfer.heldCents === 0 || !transfer.movement) return
  const { movement } = transfer
  movement.status = 'FAILED'
  movement.updatedAt = new Date()
  await book(em, movement, transferReleased(transfer.accountUuid, transfer.heldCents))
  transfer.heldCents = 0
}

async function settle(em: EntityManager, transfer: Transfer, sending: Sending): Promise<void> {
  const { accountUuid, valueCents, feeCents, movement } = transfer
  if (!movement) throw new Error('a transfer settled that held nothing')
  const at = new Date()
  know(transfer, sending)
  settleMovement(movement, sending, at)
  transfer.heldCents = 0
  transfer.settledAt = movement.settledAt
  moveTransfer(transfer, 'settled', at)
  await em.flush()
  await book(em, movement, transferSettled(accountUuid, { valueCents, feeCents }))
  await announceTransfer(em, transfer, { at })
  await announceMovement(em, movement, { lifeUuid: transfer.uuid, requestId: transfer.requestId, at })
}

/** It was thought to have failed and has settled after all: the ledger follows the money, covered or not. */
async function settleLate(
  em: EntityManager,
  transfer: Transfer,
  attempt: Attempt,
  sending: Sending,
): Promise<void> {
  const at = new Date()
  transfer.connection = await em.findOneOrFail(Connection, attempt.connectionUuid)
  transfer.providerAccountUuid = attempt.providerAccountUuid
  transfer.failure = null
  know(transfer, sending)
  transfer.movement = await bookGone(em, transfer, { attempt, sending, at })
  transfer.settledAt = transfer.movement.settledAt
  moveTransfer(transfer, 'settled_late', at)
  await announceTransfer(em, transfer, { at, late: true })
}

/** An attempt that was left has settled while another is live or paid: a movement of its own and an alarm, no act. */
async function settleTwice(
  em: EntityManager,
  transfer: Transfer,
  attempt: Attempt,
  sending: Sending,
): Promise<void> {
  attempt.state = 'duplicate'
  await bookGone(em, transfer, { attempt, sending, at: new Date(), reason: 'duplicate_settlement' })
}

type Gone = { attempt: Attempt; sending: Sending; at: Date; reason?: 'duplicate_settlement' }

async function bookGone(
  em: EntityManager,
  transfer: Transfer,
  { attempt, sending, at, reason }: Gone,
): Promise<Movement> {
  const { accountUuid, valueCents } = transfer
  const { providerAccountUuid } = attempt
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  const movement = await newMovement(em, transfer, attempt)
  settleMovement(movement, sending, at)
  movement.reason = reason ?? null
  await em.flush()
  await book(em, movement, goneUncovered(accountUuid, { cents: valueCents, availableCents }))
  await announceMovement(em, movement, { lifeUuid: transfer.uuid, requestId: transfer.requestId, at })
  return movement
}

async function newMovement(
  em: EntityManager,
  transfer: Transfer,
  at: { connectionUuid: string; providerAccountUuid: string },
): Promise<Movement> {
  const now = new Date()
  const movement = em.create(Movement, {
    uuid: randomUUID(),
    accountUuid: transfer.accountUuid,
    providerAccountUuid: at.providerAccountUuid,
    connectionUuid: at.connectionUuid,
    type: 'EXTERNAL_TRANSFER',
    movementType: 'OUT',
    valueCents: transfer.valueCents,
    status: 'PENDING',
    pixKey: transfer.pixKey,
    sender: transfer.sender,
    receiver: transfer.receiver,
    transferUuid: transfer.uuid,
    createdAt: now,
    updatedAt: now,
  })
  await em.flush()
  return movement
}

function settleMovement(movement: Movement, sending: Sending, at: Date): void {
  movement.status = 'SETTLED'
  movement.endToEnd = sending.endToEnd
  movement.receiver = sending.receiver ?? movement.receiver
  movement.settledAt = sending.at ? new Date(sending.at) : at
  movement.updatedAt = at
}

/** What the provider tells of where the money goes. */
function know(transfer: Transfer, sending: Sending): void {
  transfer.endToEnd = sending.endToEnd || transfer.endToEnd
  transfer.receiver = sending.receiver ?? transfer.receiver
}

function book(em: EntityManager, { uuid, providerAccountUuid }: Movement, legs: Leg[]): Promise<void> {
  return post(em, [{ movementUuid: uuid, providerAccountUuid, legs }])
}
