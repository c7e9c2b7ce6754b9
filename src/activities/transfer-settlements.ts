import type { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import type { Movement } from '../db/entities/movement.ts'
import type { Transfer } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable } from '../db/post.ts'
import { goneUncovered, transferSettled } from '../domain/ledger.ts'
import type { MovementReason } from '../domain/movement.ts'
import type { Sending } from '../domain/provider.ts'
import { transfer as life } from '../domain/transfer.ts'
import { announceMovement, announceTransfer } from './announce.ts'
import { moveTransfer, type PixOut } from './move.ts'
import { book, newMovement, settleMovement } from './movements.ts'

/** Settled by the provider that holds it: the money is outside, the fee the service's. */
export async function settle(em: EntityManager, out: PixOut, sending: Sending): Promise<void> {
  const { transfer } = out
  const { accountUuid, valueCents, feeCents, movement } = transfer
  if (!movement) throw new Error('a transfer settled that held nothing')
  const at = new Date()
  know(transfer, sending)
  settleMovement(movement, sending, at)
  transfer.heldCents = 0
  transfer.settledAt = movement.settledAt
  moveTransfer(transfer, 'settled', at)
  await announceTransfer(em, out, { at })
  await announceMovement(em, movement, { lifeUuid: transfer.uuid, requestId: transfer.requestId, at })
  await book(em, movement, transferSettled(accountUuid, { valueCents, feeCents }))
}

/**
 * Nothing is held for what has settled: it was thought to have failed, or a restored balance did not cover it. The ledger
 * follows the money.
 */
export async function settleUncovered(
  em: EntityManager,
  out: PixOut,
  attempt: Attempt,
  sending: Sending,
): Promise<void> {
  const at = new Date()
  const { transfer } = out
  transfer.connection = await em.findOneOrFail(Connection, attempt.connectionUuid)
  transfer.providerAccountUuid = attempt.providerAccountUuid
  transfer.failure = null
  transfer.feeCents = 0 // What nothing was held for pays none.
  know(transfer, sending)
  const late = life.accepts(transfer.state, 'settled_late')
  const reason = late ? 'late_settlement' : null
  transfer.movement = await bookGone(em, transfer, { attempt, sending, at, reason })
  transfer.settledAt = transfer.movement.settledAt
  moveTransfer(transfer, late ? 'settled_late' : 'settled', at)
  await announceTransfer(em, out, { at, late })
}

/** An attempt that was left has settled while another is live or paid: a movement of its own and an alarm, no act. */
export async function settleTwice(
  em: EntityManager,
  transfer: Transfer,
  attempt: Attempt,
  sending: Sending,
): Promise<void> {
  attempt.state = 'duplicate'
  await bookGone(em, transfer, { attempt, sending, at: new Date(), reason: 'duplicate_settlement' })
}

type Gone = { attempt: Attempt; sending: Sending; at: Date; reason: MovementReason | null }

async function bookGone(
  em: EntityManager,
  transfer: Transfer,
  { attempt, sending, at, reason }: Gone,
): Promise<Movement> {
  const { accountUuid, valueCents } = transfer
  const { providerAccountUuid } = attempt
  const availableCents = await lockAvailable(em, { accountUuid, providerAccountUuid })
  const movement = outMovement(em, transfer, attempt)
  settleMovement(movement, sending, at)
  movement.reason = reason
  await book(em, movement, goneUncovered(accountUuid, { cents: valueCents, availableCents }))
  await announceMovement(em, movement, { lifeUuid: transfer.uuid, requestId: transfer.requestId, at })
  return movement
}

/** The movement of one attempt of a transfer. */
export function outMovement(
  em: EntityManager,
  transfer: Transfer,
  { connectionUuid, providerAccountUuid }: { connectionUuid: string; providerAccountUuid: string },
): Movement {
  const { accountUuid, uuid, valueCents, pixKey, sender, receiver } = transfer
  return newMovement(
    em,
    { accountUuid, providerAccountUuid, connectionUuid },
    {
      type: 'EXTERNAL_TRANSFER',
      movementType: 'OUT',
      valueCents,
      status: 'PENDING',
      pixKey,
      sender,
      receiver,
      transferUuid: uuid,
    },
    new Date(),
  )
}

/** What the provider tells of where the money goes. */
export function know(transfer: Transfer, sending: Sending): void {
  transfer.endToEnd = sending.endToEnd || transfer.endToEnd
  transfer.receiver = sending.receiver ?? transfer.receiver
}
